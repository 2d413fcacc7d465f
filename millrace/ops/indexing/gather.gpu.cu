// Copies slices by index; I is the type of indices. Elements are as wide as
// slices and addresses allow.
// Defines: I = int32_t int64_t

struct GatherArgs {
  uint64_t params, indices, out;
  int64_t total;  // elements of the output, [batches, outer, count, slice]
  int64_t outer, count, slice, limit;
  IntDivisor by_slice, by_count, by_outer;
};

// As in TensorFlow on GPUs, a slice that does not exist is one of zeros.
template <class E, bool kShort>
MR_DEVICE void GatherSlices(const GatherArgs& a) {
  const E* const params = reinterpret_cast<const E*>(a.params);
  const I* const indices = reinterpret_cast<const I*>(a.indices);
  E* const out = reinterpret_cast<E*>(a.out);
#pragma unroll 4
  for (GRID_STRIDE(at, a.total)) {
    int64_t element, batch, index, outer;
    if (kShort) {
      const uint32_t i = static_cast<uint32_t>(at);
      const uint32_t r = i / a.by_slice;
      const uint32_t above = r / a.by_count;
      const uint32_t b = above / a.by_outer;
      element = i - r * a.by_slice.divisor;
      index = r - above * a.by_count.divisor;
      outer = above;
      batch = b;
    } else {
      const int64_t row = at / a.slice;
      element = at - row * a.slice;
      outer = row / a.count;
      index = row - outer * a.count;
      batch = outer / a.outer;
    }
    const int64_t place =
        static_cast<int64_t>(indices[batch * a.count + index]);
    out[at] = place >= 0 && place < a.limit
                  ? params[(outer * a.limit + place) * a.slice + element]
                  : E{};
  }
}

struct alignas(16) Wide {
  uint64_t low, high;
};

#define GATHERS_OF(E, BYTES)                                          \
  extern "C" __global__ void Gather_##BYTES(const GatherArgs a) {     \
    GatherSlices<E, true>(a);                                         \
  }                                                                   \
  extern "C" __global__ void GatherLong_##BYTES(const GatherArgs a) { \
    GatherSlices<E, false>(a);                                        \
  }
GATHERS_OF(uint8_t, 1)
GATHERS_OF(uint16_t, 2)
GATHERS_OF(uint32_t, 4)
GATHERS_OF(uint64_t, 8)
GATHERS_OF(Wide, 16)

// Copies slices by rows of coordinates of type I.
// Defines: I = int32_t int64_t

struct GatherNdArgs {
  uint64_t params, indices, out;
  int64_t total, slice;
  IntDivisor by_slice;
  int depth;
  int64_t dims[8], strides[8];
};

// As in TensorFlow on GPUs, a slice that does not exist is one of zeros.
template <class E>
MR_DEVICE void GatherNdSlices(const GatherNdArgs& a) {
  const E* const params = reinterpret_cast<const E*>(a.params);
  const I* const indices = reinterpret_cast<const I*>(a.indices);
  E* const out = reinterpret_cast<E*>(a.out);
  for (GRID_STRIDE(at, a.total)) {
    const int64_t row = at >> 31 == 0
                            ? int64_t{static_cast<uint32_t>(at) / a.by_slice}
                            : at / a.slice;
    int64_t from = at - row * a.slice;
    bool exists = true;
#pragma unroll
    for (int d = 0; d < 8; ++d) {
      if (d >= a.depth) break;
      const int64_t i = static_cast<int64_t>(indices[row * a.depth + d]);
      exists = exists && i >= 0 && i < a.dims[d];
      from += i * a.strides[d];
    }
    out[at] = exists ? params[from] : E{};
  }
}

struct alignas(16) Wide {
  uint64_t low, high;
};

#define GATHERS_OF(E, BYTES)                                          \
  extern "C" __global__ void GatherNd_##BYTES(const GatherNdArgs a) { \
    GatherNdSlices<E>(a);                                             \
  }
GATHERS_OF(uint8_t, 1)
GATHERS_OF(uint16_t, 2)
GATHERS_OF(uint32_t, 4)
GATHERS_OF(uint64_t, 8)
GATHERS_OF(Wide, 16)

// Fills [outer, depth, inner] with `off`, and with `on` where the index that
// [outer, inner] has is the place in `depth`. E is a type of the elements'
// size, I that of indices.
//
// Defines: I = uint8_t int8_t int32_t int64_t;
//      E = uint8_t uint16_t uint32_t uint64_t complex128
extern "C" __global__ void OneHot(const I* indices, const E* on, const E* off,
                                  E* out, int64_t total, int64_t depth,
                                  int64_t inner) {
  const E yes = *on, no = *off;
  for (GRID_STRIDE(at, total)) {
    const int64_t above = at / inner;  // [outer, depth]
    const int64_t outer = above / depth;
    const int64_t index =
        static_cast<int64_t>(indices[outer * inner + (at - above * inner)]);
    out[at] = index == above - outer * depth ? yes : no;
  }
}
// The same for an inner size of 1 and numbers below 2^31.
extern "C" __global__ void OneHotShort(const I* indices, const E* on,
                                       const E* off, E* out, uint32_t total,
                                       IntDivisor depth) {
  const E yes = *on, no = *off;
  for (GRID_STRIDE(at, total)) {
    const uint32_t outer = at / depth;
    const int64_t index = static_cast<int64_t>(indices[outer]);
    out[at] = index == int64_t{at - outer * depth.divisor} ? yes : no;
  }
}

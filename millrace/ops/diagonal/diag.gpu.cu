// Sets elements outside of a band around the diagonal to zero. E is a type of
// the elements' size.
//
// Defines: E = uint8_t uint16_t uint32_t uint64_t complex128
extern "C" __global__ void BandPart(const E* x, E* z, int64_t total,
                                    int64_t rows, int64_t columns,
                                    int64_t lower, int64_t upper) {
  for (GRID_STRIDE(at, total)) {
    const int64_t line = at / columns;
    const int64_t i = line % rows, j = at - line * columns;
    z[at] = i - j <= lower && j - i <= upper ? x[at] : E{};
  }
}

// Reverses the first steps of each row of [outer, first, middle, second,
// inner], whose dimensions are the rows (`batch`) and the steps (`seq`), in
// either order. E is a type of the elements' size, L that of lengths.
//
// Defines: E = uint8_t uint16_t uint32_t uint64_t complex128;
//      L = int32_t int64_t
extern "C" __global__ void ReverseSequence(const E* x, const L* lengths, E* z,
                                           int64_t total, int64_t batch,
                                           int64_t batch_stride, int64_t seq,
                                           int64_t seq_stride) {
  for (GRID_STRIDE(at, total)) {
    const int64_t step = at / seq_stride % seq;
    const int64_t row = at / batch_stride % batch;
    const int64_t length = MinOf(static_cast<int64_t>(lengths[row]), seq);
    const int64_t from = step < length ? length - 1 - step : step;
    z[at] = x[at + (from - step) * seq_stride];
  }
}

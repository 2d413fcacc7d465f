// Bins of Bincount and its like. I is the type of numbers, T that of bins.
// Defines: I = int32_t int64_t; T = int32_t int64_t float double

// Writes the bin of each of `n` numbers, in rows of `row` numbers with bins of
// their own; -1 for those that have none.
extern "C" __global__ void BinOfEach(const I* x, int64_t* bin, int64_t n,
                                     int64_t row, int64_t bins) {
  for (GRID_STRIDE(i, n)) {
    const int64_t value = static_cast<int64_t>(x[i]);
    bin[i] = value >= 0 && value < bins ? i / row * bins + value : -1;
  }
}

// Writes how many members each bin has; 1 for those that have some, if
// `binary`.
extern "C" __global__ void SizesOfBins(const int64_t* begins, T* out,
                                       int64_t bins, int binary) {
  for (GRID_STRIDE(b, bins)) {
    const int64_t size = begins[b + 1] - begins[b];
    out[b] = static_cast<T>(binary && size > 0 ? 1 : size);
  }
}

// Counts values in bins of equal width; those outside go to the first and the
// last. T is the type of values, R that of counts, which are 0 before.
// Defines: T = float double int32_t int64_t; R = int32_t int64_t
extern "C" __global__ void CountInBins(const T* x, R* counts, int64_t n,
                                       double low, double width, int64_t bins) {
  for (GRID_STRIDE(i, n)) {
    const double value = static_cast<double>(x[i]);
    if (IsNan(value)) continue;
    const double place =
        MinOf((MaxOf(value, low) - low) / width, double(bins - 1));
    AtomicAdd(counts + static_cast<int64_t>(place), R(1));
  }
}

// The number of boundaries that are not above an element.
//
// Defines: T = int32_t int64_t float double

extern "C" __global__ void __launch_bounds__(256)
    Bucketize(const T* x, const float* boundaries, int32_t count, int32_t* z,
              int64_t n) {
  for (GRID_STRIDE(i, n)) {
    const T value = x[i];
    int32_t low = 0, high = count;
    while (low < high) {
      const int32_t middle = low + (high - low) / 2;
      if (value < boundaries[middle]) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    z[i] = low;
  }
}

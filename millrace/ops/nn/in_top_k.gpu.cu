// Whether a row's target is among its k largest elements; L is the type of
// targets. A warp for each row.
// Defines: L = int32_t int64_t
extern "C" __global__ void InTopK(const float* x, const L* targets, bool* z,
                                  int64_t rows, int64_t n, int64_t k) {
  const int lane = threadIdx.x % 32;
  const int64_t warps = int64_t{gridDim.x} * (blockDim.x / 32);
  for (int64_t row = int64_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
       row < rows; row += warps) {
    const float* const from = x + row * n;
    const int64_t target = static_cast<int64_t>(targets[row]);
    const bool exists = target >= 0 && target < n;
    const float wanted = exists ? from[target] : 0.0f;
    // A row with an element that is infinite or no number has no order.
    int64_t larger = exists && IsFinite(wanted) ? 0 : k + n;
    for (int64_t i = lane; i < n; i += 32) {
      const float v = from[i];
      if (!IsFinite(v)) {
        larger += k + n;
      } else if (v > wanted) {
        ++larger;
      }
    }
    larger = WarpReduce<SumOp>(larger);
    if (lane == 0) z[row] = larger < k;
  }
}

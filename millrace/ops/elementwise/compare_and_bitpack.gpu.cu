// Eight comparisons with one number as a byte, the first in the highest bit.
//
// Defines: T = bool half float double int8_t int16_t int32_t int64_t

extern "C" __global__ void __launch_bounds__(256)
    CompareAndBitpack(const T* x, const T* threshold, uint8_t* z, int64_t n) {
  const Compute<T> limit = *threshold;
  for (GRID_STRIDE(i, n)) {
    unsigned byte = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      byte =
          byte << 1 | (static_cast<Compute<T>>(x[8 * i + k]) > limit ? 1u : 0u);
    }
    z[i] = static_cast<uint8_t>(byte);
  }
}

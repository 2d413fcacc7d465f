// Fills with one value, in stores of 16 bytes.
//
// Defines: T = uint8_t uint16_t uint32_t uint64_t complex128

struct alignas(16) Sixteen {
  uint64_t low, high;
};

MR_DEVICE void FillWith(T* z, T value, int64_t n) {
  constexpr int kInPack = 16 / sizeof(T);
  Pack<T, kInPack> pack;
#pragma unroll
  for (int i = 0; i < kInPack; ++i) pack[i] = value;
  const int64_t packs = n / kInPack;
  for (GRID_STRIDE(p, packs)) {
    reinterpret_cast<Pack<T, kInPack>*>(z)[p] = pack;
  }
  for (GRID_STRIDE(i, n - packs * kInPack)) z[packs * kInPack + i] = value;
}

// Requires: z is aligned to 16 bytes.
extern "C" __global__ void __launch_bounds__(256)
    FillFrom(T* z, const T* value, int64_t n) {
  FillWith(z, *value, n);
}
extern "C" __global__ void __launch_bounds__(256)
    FillBits(T* z, Sixteen bits, int64_t n) {
  T value;
  memcpy(&value, &bits, sizeof(T));
  FillWith(z, value, n);
}

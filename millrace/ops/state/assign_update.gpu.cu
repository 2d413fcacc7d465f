// Adds to a variable or subtracts from it. T is the type of elements, unsigned
// for integers, which wrap around; SUBTRACT is 0 or 1.
//
// Defines: T = uint8_t uint16_t uint32_t uint64_t half bfloat16 float double
//      complex64 complex128; SUBTRACT = 0 1

constexpr int kPackElements = 16 / sizeof(T);

template <int kElements>
MR_DEVICE void ChangePack(T* to, const T* values, int64_t pack) {
  using P = Pack<T, kElements>;
  P p = reinterpret_cast<const P*>(to)[pack];
  const P q = reinterpret_cast<const P*>(values)[pack];
#pragma unroll
  for (int i = 0; i < kElements; ++i) {
    const Compute<T> a = static_cast<Compute<T>>(p[i]);
    const Compute<T> b = static_cast<Compute<T>>(q[i]);
    p[i] = static_cast<T>(SUBTRACT ? a - b : a + b);
  }
  reinterpret_cast<P*>(to)[pack] = p;
}

// Changes n elements, the first of them in `packs` packs, which need addresses
// that are multiples of 16.
extern "C" __global__ void Change(T* to, const T* values, int64_t packs,
                                  int64_t n) {
  for (GRID_STRIDE(i, packs)) ChangePack<kPackElements>(to, values, i);
  const int64_t rest = n - packs * kPackElements;
  for (GRID_STRIDE(i, rest)) {
    ChangePack<1>(to, values, packs * kPackElements + i);
  }
}

// Cross products of vectors of three elements of type T.
//
// Defines: T = float double half bfloat16 int8_t int16_t int32_t int64_t
//      uint8_t uint16_t uint32_t uint64_t

// Returns a b - c d. Integers wrap around; products are rounded, so that the
// cross product of a vector with itself is 0.
template <class E>
MR_DEVICE E DifferenceOfProducts(E a, E b, E c, E d) {
  if constexpr (kIsInteger<E>) {
    return static_cast<E>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b) -
                          static_cast<uint64_t>(c) * static_cast<uint64_t>(d));
  } else {
    typedef Compute<E> S;
    return E(RoundedProduct(static_cast<S>(a), static_cast<S>(b)) -
             RoundedProduct(static_cast<S>(c), static_cast<S>(d)));
  }
}

extern "C" __global__ void Cross(const T* a, const T* b, T* z, int64_t n) {
  for (GRID_STRIDE(i, n)) {
    const T* const x = a + 3 * i;
    const T* const y = b + 3 * i;
    T* const to = z + 3 * i;
    to[0] = DifferenceOfProducts(x[1], y[2], x[2], y[1]);
    to[1] = DifferenceOfProducts(x[2], y[0], x[0], y[2]);
    to[2] = DifferenceOfProducts(x[0], y[1], x[1], y[0]);
  }
}

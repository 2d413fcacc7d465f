// The numbers of Range.
//
// Defines: T = half bfloat16 float double int64_t

extern "C" __global__ void __launch_bounds__(256)
    Range(T* z, Compute<T> start, Compute<T> delta, int64_t n) {
  for (GRID_STRIDE(i, n)) {
    if constexpr (kIsInteger<T>) {
      // Unsigned, so that it wraps around.
      z[i] = static_cast<T>(static_cast<uint64_t>(start) +
                            static_cast<uint64_t>(i) *
                                static_cast<uint64_t>(delta));
    } else {
      z[i] = static_cast<T>(start + static_cast<Compute<T>>(i) * delta);
    }
  }
}

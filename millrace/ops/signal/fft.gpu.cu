// What stands before and behind the transforms of an array of complex numbers:
// elements of type T come from tensors and go there.
//
// Defines: T = float double complex64 complex128

typedef ChooseType<kIsSame<T, double> || kIsSame<T, complex128>, double,
                   float>::type F;
typedef complex<F> C;

// Up to three dimensions; those in front are 1.
struct FftDims {
  int64_t v[3];
};

MR_DEVICE C ComplexOf(F x) { return C(x, F(0)); }
MR_DEVICE C ComplexOf(C x) { return x; }
MR_DEVICE void Put(C x, F* z) { *z = x.re; }
MR_DEVICE void Put(C x, C* z) { *z = x; }

// The first elements of each dimension: an array [batch, sizes] of `count`
// elements from a tensor [batch, tensor]. Conjugated and scaled for inverse
// transforms: their sums may be too large.
extern "C" __global__ void __launch_bounds__(256)
    Load(const T* x, C* a, int64_t count, FftDims sizes, FftDims tensor,
         F scale, bool conjugate) {
  for (GRID_STRIDE(i, count)) {
    int64_t rest = i, at = 0, step = 1;
    for (int d = 2; d >= 0; --d) {
      const int64_t next = rest / sizes.v[d];
      at += (rest - next * sizes.v[d]) * step;
      step *= tensor.v[d];
      rest = next;
    }
    const C v = ComplexOf(x[at + rest * step]);
    const F im = v.im * scale;
    a[i] = C(v.re * scale, conjugate ? -im : im);
  }
}

// The first `row` elements of lines of `length`: `count` in all. Conjugated for
// inverse transforms.
extern "C" __global__ void __launch_bounds__(256)
    Store(const C* a, T* z, int64_t count, int64_t row, int64_t length,
          bool conjugate) {
  for (GRID_STRIDE(i, count)) {
    const C v = a[row == length ? i : i / row * length + i % row];
    Put(conjugate ? Conj(v) : v, z + i);
  }
}

// Lines of n elements from their halves, where the second half is the conjugate
// of the first. An element that is its own conjugate is real.
extern "C" __global__ void __launch_bounds__(256)
    Extend(const C* halves, C* a, int64_t count, int64_t n, int64_t half) {
  for (GRID_STRIDE(i, count)) {
    const int64_t line = i / n, k = i - line * n;
    const C* const from = halves + line * half;
    C v = k < half ? from[k] : Conj(from[n - k]);
    if (k == 0 || 2 * k == n) v.im = 0;
    a[i] = v;
  }
}

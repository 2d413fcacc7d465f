// The limits of ClipByValue.
//
// Texts: elementwise/program.gpu.cu
// Defines: X0 = X; X = half bfloat16 float double int8_t int16_t int64_t
//      uint8_t uint16_t complex64 complex128; Z = X;
//      CLIP_BY_VALUE_RESULT = "Apply<op::ClipByValue>(x0[i], x1[i], x2[i])"

namespace op {

struct ClipByValue {
  template <class T>
  MR_DEVICE static T Do(T x, T low, T high) {
    if constexpr (kIsComplex<T>) {
      return T(Do(x.real(), low.real(), high.real()),
               Do(x.imag(), low.imag(), high.imag()));
    } else {
      const T v = high < x ? high : x;
      return v < low ? low : v;
    }
  }
};

}  // namespace op

#ifdef CLIP_BY_VALUE_RESULT
SAMPLE_PROGRAM(X0, X, Z, CLIP_BY_VALUE_RESULT)
#endif

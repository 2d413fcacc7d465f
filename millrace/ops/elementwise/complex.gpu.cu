// Parts of complex numbers. Needs unary.gpu.cu of arithmetic.
//
// Texts: elementwise/program.gpu.cu arithmetic/unary.gpu.cu
// Defines: X0 = X; X = complex64 complex128; Z = X;
//      COMPLEX_RESULT = "Apply<op::Conj>(x0[i])"
// Defines: X0 = X; X = complex64; Z = float;
//      COMPLEX_RESULT = "Apply<op::Real>(x0[i])" "Apply<op::Imag>(x0[i])"
//      "Apply<op::Angle>(x0[i])" "Apply<op::ComplexAbs>(x0[i])"
// Defines: X0 = X; X = complex128; Z = double;
//      COMPLEX_RESULT = "Apply<op::Real>(x0[i])" "Apply<op::Imag>(x0[i])"
//      "Apply<op::Angle>(x0[i])" "Apply<op::ComplexAbs>(x0[i])"
// Defines: X0 = X; X = float; Z = complex64;
//      COMPLEX_RESULT = "Apply<op::Complex>(x0[i], x1[i])"
// Defines: X0 = X; X = double; Z = complex128;
//      COMPLEX_RESULT = "Apply<op::Complex>(x0[i], x1[i])"

namespace op {

struct Conj {
  template <class T>
  MR_DEVICE static T Do(T x) {
    return Conjugate(x);
  }
};
struct Real {
  template <class T>
  MR_DEVICE static Part<T> Do(T x) {
    return x.real();
  }
};
struct Imag {
  template <class T>
  MR_DEVICE static Part<T> Do(T x) {
    return x.imag();
  }
};
struct Angle {
  template <class T>
  MR_DEVICE static Part<T> Do(T x) {
    return math::Atan2(x.imag(), x.real());
  }
};
struct ComplexAbs {
  template <class T>
  MR_DEVICE static Part<T> Do(T x) {
    return math::Hypot(x.real(), x.imag());
  }
};
struct Complex {
  MR_DEVICE static complex64 Do(float re, float im) {
    return complex64(re, im);
  }
  MR_DEVICE static complex128 Do(double re, double im) {
    return complex128(re, im);
  }
};

}  // namespace op

#ifdef COMPLEX_RESULT
SAMPLE_PROGRAM(X0, X, Z, COMPLEX_RESULT)
#endif

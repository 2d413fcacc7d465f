// Comparisons of two operands.
//
// Texts: elementwise/program.gpu.cu
// Defines: X0 = X; X = half bfloat16 float double int8_t int16_t int64_t
//      uint8_t uint16_t uint32_t uint64_t complex64 complex128 bool; Z = bool;
//      COMPARE_RESULT = "Apply<op::Equal>(x0[i], x1[i])"
//      "Apply<op::NotEqual>(x0[i], x1[i])"
// Defines: X0 = X; X = half bfloat16 float double int8_t int16_t int64_t
//      uint8_t uint16_t uint32_t uint64_t; Z = bool;
//      COMPARE_RESULT = "Apply<op::Less>(x0[i], x1[i])"
//      "Apply<op::LessEqual>(x0[i], x1[i])" "Apply<op::Greater>(x0[i], x1[i])"
//      "Apply<op::GreaterEqual>(x0[i], x1[i])"
// Defines: X0 = X; X = float double; Z = bool;
//      COMPARE_RESULT = "Apply<op::ApproximateEqual>(x0[i], x1[i], 0.5f)"

namespace op {

#define COMPARISON(Name, result)         \
  struct Name {                          \
    template <class T>                   \
    MR_DEVICE static bool Do(T x, T y) { \
      return result;                     \
    }                                    \
  };
COMPARISON(Equal, x == y)
COMPARISON(NotEqual, !(x == y))
COMPARISON(Less, x < y)
COMPARISON(LessEqual, x <= y)
COMPARISON(Greater, y < x)
COMPARISON(GreaterEqual, y <= x)
#undef COMPARISON

struct ApproximateEqual {
  MR_DEVICE static bool Do(float x, float y, float tolerance) {
    return fabsf(x - y) <= tolerance;
  }
  MR_DEVICE static bool Do(double x, double y, float tolerance) {
    return fabs(x - y) <= static_cast<double>(tolerance);
  }
};

}  // namespace op

#ifdef COMPARE_RESULT
SAMPLE_PROGRAM(X0, X, Z, COMPARE_RESULT)
#endif

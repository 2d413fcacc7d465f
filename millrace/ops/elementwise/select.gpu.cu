// Elements that a condition chooses; they are only moved.
//
// Texts: elementwise/program.gpu.cu
// Defines: X0 = bool; X = uint8_t uint16_t uint32_t uint64_t complex128 half;
//      Z = X;
//      SELECT_RESULT = "Apply<op::SelectV2>(x0[i], x1[i], x2[i])"

namespace op {

struct Select {
  template <class T>
  MR_DEVICE static T Do(bool condition, T t, T e) {
    return condition ? t : e;
  }
};
using SelectV2 = Select;

}  // namespace op

#ifdef SELECT_RESULT
SAMPLE_PROGRAM(X0, X, Z, SELECT_RESULT)
#endif

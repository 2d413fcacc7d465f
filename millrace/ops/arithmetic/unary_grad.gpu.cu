// Gradients of unary ops, by the forward result y and the gradient dy. The
// first two do not conjugate complex y, as TensorFlow's do not.
//
// Texts: elementwise/program.gpu.cu
// Defines: X0 = X; X = half bfloat16 float double complex64 complex128; Z = X;
//      UNARY_GRAD_RESULT = "Apply<op::SigmoidGrad>(x0[i], x1[i])"
//      "Apply<op::TanhGrad>(x0[i], x1[i])" "Apply<op::SqrtGrad>(x0[i], x1[i])"
//      "Apply<op::RsqrtGrad>(x0[i], x1[i])" "Apply<op::ReciprocalGrad>(x0[i],
//      x1[i])"

namespace op {

struct SigmoidGrad {
  template <class T>
  MR_DEVICE static T Do(T y, T dy) {
    return Times(dy, Times(y, T(1) - y));
  }
};
struct TanhGrad {
  template <class T>
  MR_DEVICE static T Do(T y, T dy) {
    return Times(dy, T(1) - Times(y, y));
  }
};

// The three gradients below are 0 where dy is 0, even if y is infinite or 0.
struct SqrtGrad {
  template <class T>
  MR_DEVICE static T Do(T y, T dy) {
    return dy == T(0) ? T(0) : dy * T(0.5) / Conjugate(y);
  }
};
struct RsqrtGrad {
  template <class T>
  MR_DEVICE static T Do(T y, T dy) {
    const T c = Conjugate(y);
    return dy == T(0) ? T(0) : Times(Times(dy, c), Times(c, c)) * T(-0.5);
  }
};
struct ReciprocalGrad {
  template <class T>
  MR_DEVICE static T Do(T y, T dy) {
    const T c = Conjugate(y);
    return dy == T(0) ? T(0) : -Times(dy, Times(c, c));
  }
};
using InvGrad = ReciprocalGrad;

}  // namespace op

#ifdef UNARY_GRAD_RESULT
SAMPLE_PROGRAM(X0, X, Z, UNARY_GRAD_RESULT)
#endif

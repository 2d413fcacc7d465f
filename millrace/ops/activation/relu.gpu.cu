// Relu, Relu6 and their gradients.
//
// Texts: elementwise/program.gpu.cu
// Defines: X0 = X; X = half bfloat16 float double; Z = X;
//      RELU_RESULT = "Apply<op::Relu>(x0[i])" "Apply<op::Relu6>(x0[i])"
//      "Apply<op::ReluGrad>(x0[i], x1[i])" "Apply<op::Relu6Grad>(x0[i], x1[i])"

namespace op {

struct Relu {
  template <class T>
  MR_DEVICE static T Do(T x) {
    // NaN fails the comparison and stays NaN.
    return x <= T(0) ? T(0) : x;
  }
};
struct Relu6 {
  template <class T>
  MR_DEVICE static T Do(T x) {
    const T low = x <= T(0) ? T(0) : x;
    return low >= T(6) ? T(6) : low;
  }
};
// These are products, as on the CPU: where x is not above 0, a dy that is NaN
// or infinite gives NaN.
struct ReluGrad {
  template <class T>
  MR_DEVICE static T Do(T dy, T x) {
    return static_cast<T>(dy * (x > T(0) ? T(1) : T(0)));
  }
};
struct Relu6Grad {
  template <class T>
  MR_DEVICE static T Do(T dy, T x) {
    return static_cast<T>(dy * (x > T(0) && x < T(6) ? T(1) : T(0)));
  }
};

}  // namespace op

#ifdef RELU_RESULT
SAMPLE_PROGRAM(X0, X, Z, RELU_RESULT)
#endif

// Activations with an exponential or a slope below zero. Needs unary.gpu.cu of
// arithmetic.
//
// Texts: elementwise/program.gpu.cu arithmetic/unary.gpu.cu
// Defines: X0 = X; X = half bfloat16 float double; Z = X;
//      RECTIFIER_RESULT = "Apply<op::Softplus>(x0[i])"
//      "Apply<op::Softsign>(x0[i])" "Apply<op::Elu>(x0[i])"
//      "Apply<op::Selu>(x0[i])" "Apply<op::SoftplusGrad>(x0[i], x1[i])"
//      "Apply<op::SoftsignGrad>(x0[i], x1[i])" "Apply<op::EluGrad>(x0[i],
//      x1[i])" "Apply<op::SeluGrad>(x0[i], x1[i])" "Apply<op::LeakyRelu>(x0[i],
//      0.5f)" "Apply<op::LeakyReluGrad>(x0[i], x1[i], 0.5f)"

namespace op {

// Below this log(exp(x) + 1) is exp(x), and above its negative it is x:
// log(epsilon) + 2.
template <class T>
constexpr T kSmall = kIsSame<T, float> ? T(-13.9423847) : T(-34.04365338911715);
// The constants of Selu, for which mean 0 and variance 1 are a fixed point.
template <class T>
constexpr T kScale = T(1.0507009873554804934193349852946);
template <class T>
constexpr T kScaleAlpha = T(1.7580993408473768599402175208123);

struct Softplus {
  template <class T>
  MR_DEVICE static T Do(T x) {
    const T e = math::Exp(x);
    return x > -kSmall<T> ? x : x < kSmall<T> ? e : math::Log1p(e);
  }
};
struct SoftplusGrad {
  template <class T>
  MR_DEVICE static T Do(T dy, T x) {
    return dy / (math::Exp(-x) + T(1));
  }
};
struct Softsign {
  template <class T>
  MR_DEVICE static T Do(T x) {
    return x / (math::Abs(x) + T(1));
  }
};
struct SoftsignGrad {
  template <class T>
  MR_DEVICE static T Do(T dy, T x) {
    const T y = math::Abs(x) + T(1);
    return dy / (y * y);
  }
};
struct Elu {
  template <class T>
  MR_DEVICE static T Do(T x) {
    return x < T(0) ? math::Expm1(x) : x;
  }
};
struct EluGrad {
  template <class T>
  MR_DEVICE static T Do(T dy, T y) {
    return y < T(0) ? (y + T(1)) * dy : dy;
  }
};
struct Selu {
  template <class T>
  MR_DEVICE static T Do(T x) {
    return x < T(0) ? kScaleAlpha<T> * math::Expm1(x) : kScale<T> * x;
  }
};
struct SeluGrad {
  template <class T>
  MR_DEVICE static T Do(T dy, T y) {
    return y < T(0) ? dy * (y + kScaleAlpha<T>) : dy * kScale<T>;
  }
};
// Alpha is rounded to the type of x beforehand.
struct LeakyRelu {
  template <class T>
  MR_DEVICE static T Do(T x, float alpha) {
    const T y = x * static_cast<T>(alpha);
    return (alpha < 1 ? x < y : y < x) ? y : x;
  }
};
struct LeakyReluGrad {
  template <class T>
  MR_DEVICE static T Do(T dy, T x, float alpha) {
    return x > T(0) ? dy : dy * static_cast<T>(alpha);
  }
};

}  // namespace op

#ifdef RECTIFIER_RESULT
SAMPLE_PROGRAM(X0, X, Z, RECTIFIER_RESULT)
#endif

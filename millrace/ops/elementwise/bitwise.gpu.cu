// Bitwise ops on integers.
//
// Texts: elementwise/program.gpu.cu
// Defines: X0 = X; X = int8_t int16_t int64_t uint8_t uint16_t uint32_t
//      uint64_t int32_t; Z = X;
//      BITWISE_RESULT = "Apply<op::LeftShift>(x0[i], x1[i])"
//      "Apply<op::RightShift>(x0[i], x1[i])" "Apply<op::BitwiseAnd>(x0[i],
//      x1[i])" "Apply<op::BitwiseOr>(x0[i], x1[i])"
//      "Apply<op::BitwiseXor>(x0[i], x1[i])" "Apply<op::Invert>(x0[i])"
// Defines: X0 = X; X = int8_t int16_t int64_t uint8_t uint16_t uint32_t
//      uint64_t int32_t; Z = uint8_t;
//      BITWISE_RESULT = "Apply<op::PopulationCount>(x0[i])"

namespace op {

// Returns a defined shift count: shifting by a negative number, or by all bits
// or more, is undefined.
template <class T>
MR_DEVICE int ShiftWidth(T y) {
  constexpr int kMax = static_cast<int>(sizeof(T)) * 8 - 1;
  if (y < T(0)) return 0;
  return y > static_cast<T>(kMax) ? kMax : static_cast<int>(y);
}

struct LeftShift {
  template <class T>
  MR_DEVICE static T Do(T x, T y) {
    return static_cast<T>(static_cast<uint64_t>(x) << ShiftWidth(y));
  }
};
struct RightShift {
  template <class T>
  MR_DEVICE static T Do(T x, T y) {
    return static_cast<T>(x >> ShiftWidth(y));
  }
};
struct BitwiseAnd {
  template <class T>
  MR_DEVICE static T Do(T x, T y) {
    return x & y;
  }
};
struct BitwiseOr {
  template <class T>
  MR_DEVICE static T Do(T x, T y) {
    return x | y;
  }
};
struct BitwiseXor {
  template <class T>
  MR_DEVICE static T Do(T x, T y) {
    return x ^ y;
  }
};
struct Invert {
  template <class T>
  MR_DEVICE static T Do(T x) {
    return static_cast<T>(~x);
  }
};
struct PopulationCount {
  template <class T>
  MR_DEVICE static uint8_t Do(T x) {
    if constexpr (sizeof(T) == 8) {
      return static_cast<uint8_t>(__popcll(static_cast<uint64_t>(x)));
    } else if constexpr (sizeof(T) == 4) {
      return static_cast<uint8_t>(__popc(static_cast<uint32_t>(x)));
    } else if constexpr (sizeof(T) == 2) {
      return static_cast<uint8_t>(__popc(static_cast<uint16_t>(x)));
    } else {
      return static_cast<uint8_t>(__popc(static_cast<uint8_t>(x)));
    }
  }
};

}  // namespace op

#ifdef BITWISE_RESULT
SAMPLE_PROGRAM(X0, X, Z, BITWISE_RESULT)
#endif

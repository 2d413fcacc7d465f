// Not, and, or.
//
// Texts: elementwise/program.gpu.cu
// Defines: X0 = X; X = bool; Z = bool;
//      LOGICAL_RESULT = "Apply<op::LogicalNot>(x0[i])"
//      "Apply<op::LogicalAnd>(x0[i], x1[i])" "Apply<op::LogicalOr>(x0[i],
//      x1[i])"

namespace op {

struct LogicalNot {
  MR_DEVICE static bool Do(bool x) { return !x; }
};
struct LogicalAnd {
  MR_DEVICE static bool Do(bool x, bool y) { return x && y; }
};
struct LogicalOr {
  MR_DEVICE static bool Do(bool x, bool y) { return x || y; }
};

}  // namespace op

#ifdef LOGICAL_RESULT
SAMPLE_PROGRAM(X0, X, Z, LOGICAL_RESULT)
#endif

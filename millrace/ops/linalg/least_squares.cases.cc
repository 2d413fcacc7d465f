#include "millrace/ops/linalg/matrices.cases.h"

namespace millrace::cases {
namespace {

constexpr char kNoFullRank[] =
    "Input matrix was rank deficient or ill-conditioned. Try setting "
    "fast=False or provide a larger l2_regularizer > 0.";

Value Regularizer(double l2) { return Scalar(kDouble, l2); }

// A matrix of rank 2.
Value RankTwo(DataType t) {
  return Of(t, {4, 3}, {1, 2, 3, 2, 4, 6, 1, 0, 1, 0, 2, 2});
}

AttrMap Fast(bool fast) { return {{"fast", fast}}; }

void LeastSquaresCases(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const bool fast : {false, true}) {
      for (const double l2 : {0.0, 0.75}) {
        c.Ok({Of(t, {4, 2}, {1, 2, 3, -1, 0, 2, 5, 4}), Rand(t, {4, 3}),
              Regularizer(l2)},
             Fast(fast))
            .Tolerance(MatrixTolerance(t));
        c.Ok({Of(t, {2, 4}, {1, 2, 3, -1, 0, 2, 5, 4}), Rand(t, {2, 3}),
              Regularizer(l2)},
             Fast(fast))
            .Tolerance(MatrixTolerance(t));
      }
      c.Ok({Empty(t, {0, 3, 2}), Empty(t, {0, 3, 1}), Regularizer(0)},
           Fast(fast));
      c.Ok({Rand(t, {3, 2}), Empty(t, {3, 0}), Regularizer(0)}, Fast(fast));
      c.Ok({Empty(t, {3, 0}), Rand(t, {3, 2}), Regularizer(0)}, Fast(fast));
      c.Ok({Empty(t, {0, 2}), Empty(t, {0, 2}), Regularizer(0)}, Fast(fast))
          .NoStock("stock leaves the output uninitialized");
    }
    c.Ok({RankTwo(t), Rand(t, {4, 2}), Regularizer(0)}, Fast(false))
        .Tolerance(MatrixTolerance(t));
    c.Ok({RankTwo(t), Rand(t, {4, 2}), Regularizer(0.5)})
        .Tolerance(MatrixTolerance(t));
    c.Ok({Full(t, {3, 2}, 0), Rand(t, {3, 1}), Regularizer(0)}, Fast(false));
  });
}

// Inputs that the kernel refuses.
void RefusedInputs(CaseList& c) {
  c.Error({Full(kFloat, {3, 2}, 0), F32({3, 1}), Regularizer(0)}, kInvalid,
          kNoFullRank);
  for (const bool fast : {false, true}) {
    const auto error = [&](Value a, Value b, Value l2, const char* words) {
      c.Error({std::move(a), std::move(b), std::move(l2)}, Fast(fast), kInvalid,
              words);
    };
    error(F32({3, 2}), F32({3, 1}), Regularizer(-0.5),
          "l2_regularizer must be >= 0.");
    error(F32({3, 2}), F32({3, 1}), F64({1}),
          "l2_regularizer must be scalar, got shape [1]");
    error(F32({3, 2}), F32({2, 1}), Regularizer(0),
          "Input matrix and rhs are incompatible.");
    error(F32({3}), F32({3, 1}), Regularizer(0),
          "Input tensor 0 must have rank >= 2, got 1");
    error(F32({3, 2}), F32({3}), Regularizer(0),
          "All input tensors must have the same rank.");
    error(F32({2, 3, 2}), F32({4, 3, 1}), Regularizer(0),
          "All input tensors must have the same outer dimensions.");
  }
}

}  // namespace

MR_CASES(MatrixSolveLs)(CaseList& c) {
  LeastSquaresCases(c);
  for (const DataType t : {kDouble, kC}) {
    c.Ok({Rand(t, {2, 4, 3}, 1, 2), Rand(t, {2, 4, 2}), Regularizer(1)})
        .Tolerance(1e-9)
        .Gradient({0, 1});
    c.Ok({Rand(t, {2, 3, 4}, 1, 2), Rand(t, {2, 3, 2}), Regularizer(1)})
        .Tolerance(1e-9)
        .Gradient({0, 1});
  }
  c.Ok({F64({5, 30, 20}), F64({5, 30, 2}), Regularizer(0)}, Fast(false))
      .Tolerance(1e-9);
  RefusedInputs(c);
  c.BuildError({F32({3, 2}), F32({2, 1}), Regularizer(0)}, {},
               "Dimensions must be equal, but are 3 and 2");
  c.BuildError({F32({3}), F32({3, 1}), Regularizer(0)}, {},
               "Shape must be at least rank 2 but is rank 1");
  c.BuildError({F32({3, 2}), F32({3, 1}), F64({1})}, {},
               "Shape must be rank 0 but is rank 1");
}

// Its shape function leaves every check to the kernel.
MR_CASES(BatchMatrixSolveLs)(CaseList& c) {
  LeastSquaresCases(c);
  RefusedInputs(c);
}

}  // namespace millrace::cases

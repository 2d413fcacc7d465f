#include "millrace/ops/sparse/sparse_values.cases.h"

namespace millrace::cases {
namespace {

void Reduces(CaseList& c) {
  const auto in = [] { return Triples({0, 1, 2, 0, 3, 2, 1, 1, 0, 1, 3, 2}); };
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok({in(), Rand(t, {4}), Long({2, 4, 3}), Vec({1})})
        .Tolerance(SumTolerance(t));
  });
  for (const bool keep : {false, true}) {
    const AttrMap attrs = {{"keep_dims", keep}};
    c.Ok({in(), F32({4}), Long({2, 4, 3}), Vec({-1, 0})}, attrs);
    c.Ok({in(), F32({4}), Long({2, 4, 3}), Scalar(2)}, attrs);
    c.Ok({in(), F32({4}), Long({2, 4, 3}), Vec({0, 1, 2})}, attrs);
    c.Ok({in(), F32({4}), Long({2, 4, 3}), Empty(kInt32, {0})}, attrs);
    c.Ok({Empty(kInt64, {0, 3}), Empty(kFloat, {0}), Long({2, 4, 3}), Vec({1})},
         attrs);
    if (c.op().name == "SparseReduceSum") {  // alone has a gradient
      c.Ok({in(), F64({4}), Long({2, 4, 3}), Vec({0, -1})}, attrs)
          .Gradient({1});
    }
  }
  c.Error({in(), F32({4}), Long({2, 4, 3}), Vec({3})}, kInvalid,
          "Invalid reduction dimension 3, for input with 3 dimensions.")
      .NoShapeCheck();
}

}  // namespace

MR_CASES(SparseReduceSum)(CaseList& c) { Reduces(c); }
MR_CASES(SparseReduceMax)(CaseList& c) { Reduces(c); }
MR_CASES(SparseReduceSumSparse)(CaseList& c) { Reduces(c); }
MR_CASES(SparseReduceMaxSparse)(CaseList& c) { Reduces(c); }

}  // namespace millrace::cases

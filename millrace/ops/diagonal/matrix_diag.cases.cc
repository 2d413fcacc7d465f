#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr const char* kAligns[] = {"LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT",
                                   "RIGHT_RIGHT"};
Value None() { return Scalar(-1); }

// The inputs' shapes are not known when the graph is built.
void FailingSetDiag(CaseList& c, const char* name, Value diagonal, Value k,
                    const char* words) {
  const PartialShape unknown;
  const AttrMap attrs = {{"shape", unknown}};
  c.Sequence(name)
      .Node("x", "PlaceholderWithDefault", {F32({2, 3})}, attrs)
      .Node("d", "PlaceholderWithDefault", {std::move(diagonal)}, attrs)
      .Node("k", "PlaceholderWithDefault", {std::move(k)}, attrs)
      .Node("s", c.op().name, {"x", "d", "k"})
      .RunError({"s"}, StatusCode::kInvalidArgument, words);
}

void FailingSetDiags(CaseList& c) {
  FailingSetDiag(c, "k", F32({1}), Scalar(7),
                 "lower_diag_index is out of bound: 7 It must be between -2 "
                 "and 3");
  FailingSetDiag(c, "scalar", F32({}), Scalar(0),
                 "diagonal must be at least 1-dim, received shape: []");
  FailingSetDiag(c, "count", F32({3, 2}), Vec({0, 1}),
                 "The number of diagonals provided in `diag` is not consistent "
                 "with `lower_diag_index` and `upper_diag_index`");
  FailingSetDiag(c, "length", F32({3}), Scalar(0),
                 "Either first dimensions of diagonal don't match "
                 "input.shape[:-2]");
}

}  // namespace

MR_CASES(MatrixDiag)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) { c.Ok({Rand(t, {2, 3})}); });
  c.Ok({F64({2, 2, 3})}).Gradient();
  c.Ok({Empty(DataType::kFloat, {2, 0})});
}
MR_CASES(MatrixDiagV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3}), Scalar(1), None(), None(), Rand(t, {})});
    c.Ok({Rand(t, {2, 3, 4}), Vec({-1, 1}), None(), None(), Rand(t, {})});
  });
  c.Ok({F64({2, 3}), Scalar(-1), Scalar(4), Scalar(5), F64({})}).Gradient({0});
}
MR_CASES(MatrixDiagV3)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3, 4}), Vec({-1, 1}), None(), None(), Rand(t, {})});
  });
  for (const char* align : kAligns) {
    c.Ok({F64({2, 4, 3}), Vec({-2, 1}), Scalar(5), Scalar(3), F64({})},
         {{"align", align}});
    c.Ok({F64({2, 4, 4}), Vec({-2, 1}), None(), None(), F64({})},
         {{"align", align}})
        .Gradient({0});
  }
  c.Error({F32({3}), Scalar(0), Scalar(2), None(), F32({})},
          StatusCode::kInvalidArgument, "The number of rows is too small.");
  c.Error({F32({3}), Scalar(0), None(), Scalar(2), F32({})},
          StatusCode::kInvalidArgument, "The number of columns is too small.");
}
MR_CASES(MatrixDiagPart)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) { c.Ok({Rand(t, {2, 3, 4})}); });
  c.Ok({F64({2, 4, 3})}).Gradient();
}
MR_CASES(MatrixDiagPartV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3, 4}), Scalar(1), Rand(t, {})});
    c.Ok({Rand(t, {2, 3, 4}), Vec({-1, 2}), Rand(t, {})});
  });
  c.Ok({F64({2, 4, 3}), Vec({-1, 1}), F64({})}).Gradient({0});
}
MR_CASES(MatrixDiagPartV3)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3, 4}), Vec({-1, 2}), Rand(t, {})});
  });
  for (const char* align : kAligns) {
    c.Ok({F64({2, 4, 5}), Vec({-3, 2}), F64({})}, {{"align", align}})
        .Gradient({0});
  }
  c.Error({F32({3, 3}), Scalar(3), F32({})}, StatusCode::kInvalidArgument,
          "diag_index is out of bound");
  // An empty input whose diagonals have a shape that is too large.
  constexpr int64_t kLong = int64_t{1} << 30;
  c.Error({Empty(DataType::kFloat, {0, 7, kLong, kLong}),
           Vec({-1073741823, 1073741823}), F32({})},
          StatusCode::kInvalidArgument, "")
      .NoStock("gives nothing");
}
MR_CASES(MatrixSetDiag)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3, 4}), Rand(t, {2, 3})});
  });
  c.Ok({F64({2, 4, 3}), F64({2, 3})}).Gradient();
}
MR_CASES(MatrixSetDiagV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3, 4}), Rand(t, {2, 3}), Scalar(1)});
  });
  FailingSetDiags(c);
  c.Ok({F64({2, 4, 3}), F64({2, 3, 3}), Vec({-1, 1})}).Gradient({0, 1});
}
MR_CASES(MatrixSetDiagV3)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3, 4}), Rand(t, {2, 3}), Scalar(1)});
  });
  FailingSetDiags(c);
  for (const char* align : kAligns) {
    c.Ok({F64({2, 4, 5}), F64({2, 6, 4}), Vec({-3, 2})}, {{"align", align}})
        .Gradient({0, 1});
  }
}
MR_CASES(BatchMatrixDiag)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) { c.Ok({Rand(t, {2, 3})}); });
}
MR_CASES(BatchMatrixDiagPart)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) { c.Ok({Rand(t, {2, 3, 4})}); });
}
MR_CASES(BatchMatrixSetDiag)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3, 4}), Rand(t, {2, 3})});
  });
}

}  // namespace millrace::cases

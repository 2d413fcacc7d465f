#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

double SumTolerance(DataType t) {
  return t == DataType::kHalf || t == DataType::kBfloat16 ? 4e-2 : 1e-5;
}

void Cases(CaseList& c, bool with_rows) {
  const auto inputs = [&](Value data, Value indices, Value ids, int rows) {
    std::vector<Value> list = {std::move(data), std::move(indices),
                               std::move(ids)};
    if (with_rows) list.push_back(Scalar(rows));
    return list;
  };
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok(inputs(Rand(t, {5, 3}), Vec({0, 4, 4, 2, 1}), Vec({0, 0, 2, 2, 2}), 5))
        .Tolerance(SumTolerance(t));
  });
  for (const DataType i : {DataType::kInt32, DataType::kInt64}) {
    c.Ok(inputs(F32({5, 2, 3}), Vec(i, {0, 4, 3}),
                Vec(DataType::kInt64, {1, 1, 2}), 3));
  }
  if (with_rows) {
    c.Ok({F32({5, 3}), Vec({0, 4}), Vec({0, 1}), Scalar(DataType::kInt64, 4)});
  }
  c.Ok(inputs(F32({5, 3}), Empty(DataType::kInt32, {0}),
              Empty(DataType::kInt32, {0}), 2));
  c.Ok(inputs(F64({4, 3}), Vec({0, 3, 3, 2}), Vec({0, 0, 1, 1}), 2))
      .Gradient({0});
  constexpr auto kBad = StatusCode::kInvalidArgument;
  c.Error(inputs(F32({5, 3}), Vec({0, 5}), Vec({0, 0}), 2), kBad,
          "Bad: indices[1] == 5 out of range [0, 5)")
      .Name("ids that the host does not see");
  c.Error(inputs(F32({5, 3}), Vec({0, 1, 2}), Vec({0, 2, 1}), 3), kBad,
          "segment ids are not increasing")
      .Name("ids that the host does not see");
  c.Error(inputs(F32({5, 3}), Vec({0, 1}), Vec({-1, -1}), 3), kBad,
          with_rows ? "Segment id -1 out of range [0, 3)"
                    : "segment ids must be >= 0")
      .Name("ids that the host does not see");
  if (with_rows) {
    c.Error(inputs(F32({5, 3}), Vec({0, 1}), Vec({0, 1}), -1), kBad,
            "segment ids must be >= 0");
    c.Error(inputs(F32({5, 3}), Vec({0, 1}), Vec({0, 4}), 3), kBad,
            "segment ids must be < num_segments")
        .Name("ids that the host does not see");
    c.Error({F32({5, 3}), Vec({0, 4}), Vec({0, 1}), Vec({4, 4})}, kBad,
            "num_segments should be a scalar, not shape [2]");
  }
}

void GradCases(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 4}), Vec({0, 4, 4, 2, 1}), Vec({0, 0, 1, 1, 2}),
          Scalar(6)})
        .Tolerance(SumTolerance(t));
  });
  for (const DataType i : {DataType::kInt32, DataType::kInt64}) {
    c.Ok({F32({3, 2, 2}), Vec(i, {5, 1, 5}), Vec(DataType::kInt64, {0, 1, 1}),
          Scalar(7)});
  }
  c.Error({F32({3, 2}), Vec({0, 7}), Vec({0, 1}), Scalar(3)},
          StatusCode::kInvalidArgument, "out of range")
      .Name("ids that the host does not see");
  c.Error({F32({3, 2}), Vec({0, 1}), Vec({0, 4}), Scalar(3)},
          StatusCode::kInvalidArgument, "Invalid number of segments")
      .Name("ids that the host does not see");
  c.Error({F32({3, 2}), Vec({0, 1}), Vec({-1, 0}), Scalar(3)},
          StatusCode::kInvalidArgument, "Segment id -1 out of range [0, 3).")
      .Name("ids that the host does not see");
}

}  // namespace

MR_CASES(SparseSegmentSum)(CaseList& c) { Cases(c, false); }
MR_CASES(SparseSegmentMean)(CaseList& c) { Cases(c, false); }
MR_CASES(SparseSegmentSqrtN)(CaseList& c) { Cases(c, false); }
MR_CASES(SparseSegmentSumWithNumSegments)(CaseList& c) { Cases(c, true); }
MR_CASES(SparseSegmentMeanWithNumSegments)(CaseList& c) { Cases(c, true); }
MR_CASES(SparseSegmentSqrtNWithNumSegments)(CaseList& c) { Cases(c, true); }
MR_CASES(SparseSegmentSumGrad)(CaseList& c) { GradCases(c); }
MR_CASES(SparseSegmentMeanGrad)(CaseList& c) { GradCases(c); }
MR_CASES(SparseSegmentSqrtNGrad)(CaseList& c) { GradCases(c); }
MR_CASES(SparseSegmentSumGradV2)(CaseList& c) { GradCases(c); }
MR_CASES(SparseSegmentMeanGradV2)(CaseList& c) { GradCases(c); }
MR_CASES(SparseSegmentSqrtNGradV2)(CaseList& c) { GradCases(c); }

}  // namespace millrace::cases

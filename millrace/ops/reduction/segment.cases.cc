#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr DataType kF = DataType::kFloat;

void Sorted(CaseList& c, double lo, double hi) {
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok({Rand(t, {5, 3}, lo, hi), Vec({0, 0, 2, 2, 2})});
  });
  c.Ok({Rand(kF, {5}, lo, hi), Vec(DataType::kInt64, {1, 1, 1, 4, 5})});
  c.Ok({Rand(kF, {300}, lo, hi), Full(DataType::kInt32, {300}, 0)})
      .Tolerance(1e-4);
  c.Ok({Rand(kF, {4, 2, 300}, lo, hi), Vec({0, 1, 1, 2})});
  c.Ok({Empty(kF, {0, 2}), Empty(DataType::kInt32, {0})});
  c.Ok({Rand(DataType::kDouble, {4, 2}, 1, 2), Vec({0, 0, 1, 1})})
      .Gradient({0});
  c.Error({F32({3, 2}), Vec({0, 2, 1})}, StatusCode::kInvalidArgument,
          "segment ids are not increasing")
      .Name("ids that the host does not see");
  c.Error({F32({3, 2}), Vec({-1, 0, 1})}, StatusCode::kInvalidArgument,
          "Segment id -1 out of range [0, 2), possibly because 'segment_ids' "
          "input is not sorted.")
      .Name("ids that the host does not see");
  c.Error({F32({3, 2}), Vec({-3, -2, -1})}, StatusCode::kInvalidArgument,
          "segment ids must be >= 0");
  c.Error({F32({3, 2}), Vec({0, 1})}, StatusCode::kInvalidArgument,
          "segment_ids should be the same size as dimension 0 of input.");
  c.Error({F32({3, 2}), I32({1, 3})}, StatusCode::kInvalidArgument,
          "segment_ids should be a vector.");
  c.Error({F32({}), Vec({0})}, StatusCode::kInvalidArgument,
          "input must be at least rank 1");
}

void Unsorted(CaseList& c, double lo, double hi) {
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok({Rand(t, {5, 3}, lo, hi), Vec({2, 0, -1, 2, 0}), Scalar(4)});
  });
  c.EachType("Tindices", [&](CaseList& c, DataType t) {
    c.Ok({Rand(kF, {4}, lo, hi), Vec(t, {1, 0, 1, 1}),
          Scalar(DataType::kInt64, 2)});
  });
  c.Ok({Rand(kF, {2, 3, 5}, lo, hi),
        Of(DataType::kInt32, {2, 3}, {0, 1, 1, 3, 0, 1}), Scalar(5)});
  c.Ok({Rand(kF, {3, 700}, lo, hi), Vec({1, 0, 1}), Scalar(2)});
  c.Ok({Rand(kF, {}, lo, hi), Scalar(1), Scalar(3)});
  c.Ok({Empty(kF, {0, 2}), Empty(DataType::kInt32, {0}), Scalar(3)});
  c.Ok({Rand(DataType::kDouble, {4, 2}, 1, 2), Vec({1, 0, 1, 1}), Scalar(2)})
      .Gradient({0});
  c.Error({F32({3, 2}), Vec({0, 3, -1}), Scalar(3)},
          StatusCode::kInvalidArgument,
          "segment_ids[1] = 3 is out of range [0, 3)")
      .Name("ids that the host does not see");
  c.Error({F32({2, 2}), Of(DataType::kInt32, {2, 2}, {0, 1, 1, 4}), Scalar(3)},
          StatusCode::kInvalidArgument,
          "segment_ids[1,1] = 4 is out of range [0, 3)")
      .Name("ids that the host does not see");
  c.Error({F32({3, 2}), Vec({0, 1}), Scalar(3)}, StatusCode::kInvalidArgument,
          "data.shape = [3,2] does not start with segment_ids.shape = [2]");
  c.Error({F32({3, 2}), Vec({0, 1, 1}), Scalar(-3)},
          StatusCode::kInvalidArgument,
          "Input num_segments == -3 must not be negative.");
  c.Error({F32({3, 2}), Vec({0, 1, 1}), Vec({3})}, StatusCode::kInvalidArgument,
          "num_segments should be a scalar, not shape [1]");
}

}  // namespace

MR_CASES(SegmentSum)(CaseList& c) { Sorted(c, -9, 9); }
MR_CASES(SegmentMean)(CaseList& c) { Sorted(c, -9, 9); }
MR_CASES(SegmentProd)(CaseList& c) { Sorted(c, 0.9, 1.5); }
MR_CASES(SegmentMin)(CaseList& c) { Sorted(c, -9, 9); }
MR_CASES(SegmentMax)(CaseList& c) { Sorted(c, -9, 9); }
MR_CASES(UnsortedSegmentSum)(CaseList& c) {
  Unsorted(c, -9, 9);
  // A list of segments larger than any memory, for an empty output.
  c.Error({Empty(DataType::kFloat, {1, 0}), Vec({0}),
           Scalar(DataType::kInt64, double(int64_t{1} << 42))},
          StatusCode::kResourceExhausted, "")
      .NoStock("gives nothing")
      .Name("more segments than the host has room for");
}
MR_CASES(UnsortedSegmentProd)(CaseList& c) { Unsorted(c, 0.9, 1.5); }
MR_CASES(UnsortedSegmentMin)(CaseList& c) { Unsorted(c, -9, 9); }
MR_CASES(UnsortedSegmentMax)(CaseList& c) { Unsorted(c, -9, 9); }

}  // namespace millrace::cases

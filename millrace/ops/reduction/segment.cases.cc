#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// Ascending ids of `n` members: those of segment 10 in the middle are more than
// the others, of which each has up to ten in front of them, and `each` behind
// them.
Value LongSegment(DataType type, int64_t n, int64_t each) {
  Tensor ids = Tensor::New(type, TensorShape({n}));
  const auto fill = [&]<class I>(absl::Span<I> to) {
    for (int64_t i = 0; i < n; ++i) {
      const int64_t behind = i - (n - 100);
      to[static_cast<size_t>(i)] =
          static_cast<I>(i < 100      ? i / 10
                         : behind < 0 ? 10
                                      : 11 + behind / each);
    }
  };
  if (type == DataType::kInt32) {
    fill(ids.mutable_flat<int32_t>());
  } else {
    fill(ids.mutable_flat<int64_t>());
  }
  return ids;
}

void Sorted(CaseList& c, double lo, double hi) {
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok({Rand(t, {5, 3}, lo, hi), Vec({0, 0, 2, 2, 2})});
  });
  c.Ok({Rand(kFloat, {5}, lo, hi), Vec(DataType::kInt64, {1, 1, 1, 4, 5})});
  c.Ok({Rand(kFloat, {300}, lo, hi), Full(DataType::kInt32, {300}, 0)})
      .Tolerance(1e-4);
  c.Ok({Rand(kFloat, {4, 2, 300}, lo, hi), Vec({0, 1, 1, 2})});
  c.Ok({Empty(kFloat, {0, 2}), Empty(DataType::kInt32, {0})});
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
    c.Ok({Rand(kFloat, {4}, lo, hi), Vec(t, {1, 0, 1, 1}),
          Scalar(DataType::kInt64, 2)});
  });
  c.Ok({Rand(kFloat, {2, 3, 5}, lo, hi),
        Of(DataType::kInt32, {2, 3}, {0, 1, 1, 3, 0, 1}), Scalar(5)});
  c.Ok({Rand(kFloat, {3, 700}, lo, hi), Vec({1, 0, 1}), Scalar(2)});
  c.Ok({Rand(kFloat, {}, lo, hi), Scalar(1), Scalar(3)});
  c.Ok({Empty(kFloat, {0, 2}), Empty(DataType::kInt32, {0}), Scalar(3)});
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

// Long segments among short ones, which GPUs cut: few members of each segment
// on the average, many, and rows of several elements.
void LongSorted(CaseList& c, double lo, double hi, double tolerance) {
  const DataType i32 = DataType::kInt32, i64 = DataType::kInt64;
  c.Ok({Rand(kFloat, {3000}, lo, hi), LongSegment(i32, 3000, 1)})
      .Tolerance(tolerance);
  c.Ok({Rand(kFloat, {2900, 35}, lo, hi), LongSegment(i64, 2900, 2)})
      .Tolerance(tolerance);
  c.Ok({Rand(kFloat, {20000, 3}, lo, hi), LongSegment(i32, 20000, 10)})
      .Tolerance(tolerance);
}
void LongUnsorted(CaseList& c, double lo, double hi, double tolerance) {
  c.Ok({Rand(kFloat, {3000, 2}, lo, hi), LongSegment(DataType::kInt32, 3000, 1),
        Scalar(300)})
      .Tolerance(tolerance);
  c.Ok({Rand(kFloat, {20000}, lo, hi), LongSegment(DataType::kInt64, 20000, 10),
        Scalar(40)})
      .Tolerance(tolerance);
}

}  // namespace

MR_CASES(SegmentSum)(CaseList& c) {
  Sorted(c, -9, 9);
  LongSorted(c, 0, 1, 1e-3);
}
MR_CASES(SegmentMean)(CaseList& c) {
  Sorted(c, -9, 9);
  LongSorted(c, -9, 9, 1e-5);
}
MR_CASES(SegmentProd)(CaseList& c) {
  Sorted(c, 0.9, 1.5);
  LongSorted(c, 0.999, 1.001, 1e-3);
}
MR_CASES(SegmentMin)(CaseList& c) {
  Sorted(c, -9, 9);
  LongSorted(c, -9, 9, 1e-5);
}
MR_CASES(SegmentMax)(CaseList& c) {
  Sorted(c, -9, 9);
  LongSorted(c, -9, 9, 1e-5);
}
MR_CASES(UnsortedSegmentSum)(CaseList& c) {
  Unsorted(c, -9, 9);
  LongUnsorted(c, 0, 1, 1e-3);
  // A list of segments larger than any memory, for an empty output.
  c.Error({Empty(DataType::kFloat, {1, 0}), Vec({0}),
           Scalar(DataType::kInt64, double(int64_t{1} << 42))},
          StatusCode::kResourceExhausted, "")
      .NoStock("gives nothing")
      .Name("more segments than the host has room for");
}
MR_CASES(UnsortedSegmentProd)(CaseList& c) {
  Unsorted(c, 0.9, 1.5);
  LongUnsorted(c, 0.999, 1.001, 1e-3);
}
MR_CASES(UnsortedSegmentMin)(CaseList& c) {
  Unsorted(c, -9, 9);
  LongUnsorted(c, -9, 9, 1e-5);
}
MR_CASES(UnsortedSegmentMax)(CaseList& c) {
  Unsorted(c, -9, 9);
  LongUnsorted(c, -9, 9, 1e-5);
}

}  // namespace millrace::cases

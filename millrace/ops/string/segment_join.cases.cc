#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(UnsortedSegmentJoin)(CaseList& c) {
  const Value row = Str({"a", "b", "c"});
  const Value matrix = Str({3, 2}, {"a", "b", "c", "d", "e", "f"});
  c.EachType("Tindices", [&](CaseList& c, DataType t) {
    c.EachType("Tnumsegments", [&](CaseList& c, DataType n) {
      c.Ok({row, Vec(t, {0, 1, 0}), Scalar(n, 2)}, {{"separator", ","}});
      c.Ok({row, Vec(t, {0, 3, 0}), Scalar(n, 5)});
      c.Ok({matrix, Vec(t, {1, 0, 1}), Scalar(n, 3)}, {{"separator", "-"}});
      c.Ok({matrix, Of(t, {3, 2}, {1, 0, 1, 1, 2, 0}), Scalar(n, 3)},
           {{"separator", "--"}});
      c.Ok({Str({"", "a", "", "", "b", ""}), Vec(t, {0, 0, 1, 0, 1, 0}),
            Scalar(n, 3)},
           {{"separator", "-"}});
      c.Ok({Empty(DataType::kString, {0}), Empty(t, {0}), Scalar(n, 2)});
      c.Ok({Empty(DataType::kString, {0}), Empty(t, {0}), Scalar(n, 0)});
      c.Ok({Empty(DataType::kString, {2, 0}), Vec(t, {0, 1}), Scalar(n, 2)});
    });
    c.Ok({Rand(DataType::kString, {300, 3}), Rand(t, {300}, 0, 20), Scalar(20)},
         {{"separator", " "}});
    c.Error({row, Vec(t, {0, -1, 0}), Scalar(2)}, kInvalid,
            "segment_ids are not allowed to exceed num_segments or to have "
            "negative values.");
    c.Error({row, Vec(t, {0, 2, 0}), Scalar(2)}, kInvalid,
            "segment_ids are not allowed to exceed num_segments");
  });
  c.Error({row, Vec({0, 1}), Scalar(2)}, kInvalid,
          "Segment dimension is 2 while input dimension is 1 in rank 0")
      .NoShapeCheck();
  c.Error({row, Vec({0, 1, 1}), Scalar(-2)}, kInvalid,
          "Number of segments must be non-negative but got -2")
      .NoShapeCheck();
  c.Error({row, Vec({0, 1, 1}), Vec({2})}, kInvalid,
          "Number of segments must be a scalar")
      .NoShapeCheck();
  c.Error({StrScalar("a"), Scalar(0), Scalar(2)}, kInvalid,
          "Segment_id cannot have rank 0");
  c.Error({matrix, Of(DataType::kInt32, {1, 1, 1}, {0}), Scalar(3)},
          StatusCode::kOutOfRange,
          "Invalid segment_id rank 3 for input with 2 dimension(s)")
      .NoShapeCheck();
  c.BuildError({row, Vec({0, 1}), Scalar(2)}, {},
               "Dimensions must be equal, but are 3 and 2");
  c.BuildError({row, Vec({0, 1, 1}), Vec({2})}, {},
               "Shape must be rank 0 but is rank 1");
  c.BuildError({row, Vec({0, 1, 1}), Scalar(-2)}, {},
               "must be non-negative but is -2");
  c.BuildError({row, Of(DataType::kInt32, {1, 1}, {0}), Scalar(3)}, {},
               "Shape must be at least rank 2 but is rank 1");
}

}  // namespace millrace::cases

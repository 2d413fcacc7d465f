#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(ScalarSummary)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({StrScalar("loss"), Rand(t, {})});
    c.Ok({Str({"a", "b"}), Rand(t, {2})});
  });
  c.Error({StrScalar("loss"), F32({2})}, StatusCode::kInvalidArgument,
          "tags and values are not the same shape: [] != [2] (tag 'loss')");
}

MR_CASES(HistogramSummary)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({StrScalar("weights"), Rand(t, {3, 17})});
  });
  c.Ok({StrScalar("none"), Empty(DataType::kFloat, {0})});
  c.Error({StrScalar("w"), Values<float>({1, NAN})},
          StatusCode::kInvalidArgument, "Nan in summary histogram for: ");
}

MR_CASES(MergeSummary)(CaseList& c) {
  c.Sequence("merged")
      .Node("a", "ScalarSummary", {StrScalar("a"), F32({})})
      .Node("b", "HistogramSummary", {StrScalar("b"), F32({9})})
      .Node("op", "MergeSummary", {"a", "b"})
      .Run({"op"});
  c.Sequence("doubled")
      .Node("a", "ScalarSummary", {StrScalar("a"), F32({})})
      .Node("op", "MergeSummary", {"a", "a"})
      .RunError({"op"}, StatusCode::kInvalidArgument,
                "Duplicate tag a found in summary inputs");
  c.Error({StrScalar("not a summary")}, StatusCode::kInvalidArgument,
          "Could not parse one of the summary inputs");
}

}  // namespace millrace::cases

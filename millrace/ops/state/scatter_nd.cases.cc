#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

void ScattersNd(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const bool locking : {false, true}) {
      c.Ok({Var(Rand(t, {4, 3})), Of(kInt32, {3, 1}, {1, 3, 1}),
            Rand(t, {3, 3})},
           {{"use_locking", locking}});
    }
    c.Ok({Var(Rand(t, {4, 3})), Of(DataType::kInt64, {2, 2}, {2, 0, 1, 1}),
          Rand(t, {2})});
  });
  c.Ok({Var(F32({4, 2, 3})), Of(kInt32, {2, 1, 2}, {2, 0, 3, 1}),
        F32({2, 1, 3})});
  c.Ok({Var(F32({4, 3})), Empty(kInt32, {0, 1}), Empty(kFloat, {0, 3})});
  c.Ok({Var(Empty(kFloat, {0, 3})), Empty(kInt32, {0, 1}),
        Empty(kFloat, {0, 3})});
  // Enough rows to be grouped by their locks.
  c.Ok({Var(F32({2000, 9})), Rand(kInt32, {700, 1}, 0, 2000), F32({700, 9})});
  c.Ok({Var(F32({200, 9, 4})), Rand(kInt32, {700, 2}, 0, 9), F32({700, 4})});
  c.Ok({Var(F32({4})), Of(kInt32, {4, 1}, {4, 1, -1, 2}), F32({4})},
       {{"bad_indices_policy", "IGNORE"}});
  c.Error({Var(F32({4})), Of(kInt32, {1, 1}, {2}), F32({1})},
          {{"bad_indices_policy", "FIRST"}}, kInvalid,
          "Unknown bad indices handling attribute: FIRST");
  const auto error = [&](Value variable, Value indices, Value updates,
                         const char* words) -> Case& {
    return c
        .Error(
            {Var(std::move(variable)), std::move(indices), std::move(updates)},
            kInvalid, words)
        .NoShapeCheck();
  };
  error(F32({4, 3}), Of(kInt32, {3, 1}, {1, 4, 2}), F32({3, 3}),
        "indices[1] = [4] does not index into shape [4,3]")
      .Name("a place that is not there");
  error(F32({4, 3}), Of(kInt32, {4, 1}, {1, 4, 5, 2}), F32({4, 3}),
        "indices[2] = [5] does not index into shape [4,3]")
      .Name("a place that is not there");
  error(F32({4, 3}), Of(kInt32, {1, 2, 2}, {1, 2, 0, -1}), F32({1, 2}),
        "indices[0,1] = [0, -1] does not index into shape [4,3]")
      .Name("a place that is not there");
  error(F32({4, 3}), Of(kInt32, {2, 1}, {1, 2}), F32({1, 3}),
        "Dimensions [0,1) of indices[shape=[2,1]]");
  error(F32({4, 3}), Of(kInt32, {1, 1}, {1}), F32({}),
        "Dimensions [0,1) of indices[shape=[1,1]]");
  error(F32({4, 3}), Of(kInt32, {2, 1}, {1, 2}), F32({2, 2}),
        "Dimensions [1,2) of input[shape=[4,3]] must match dimensions [1,2)");
  error(F32({4, 3}), Of(kInt32, {1, 3}, {1, 1, 1}), F32({1}),
        "Dimensions [3,2) of input[shape=[4,3]] must match dimensions");
  error(Empty(kFloat, {0, 3}), Of(kInt32, {1, 1}, {0}), F32({1, 3}),
        "Indices and updates specified for empty output.");
  error(F32({4, 3}), Empty(kInt32, {2, 0}), F32({2, 4, 3}),
        "Indices and updates specified for empty output.");
  error(F32({}), Of(kInt32, {1, 1}, {0}), F32({1}),
        "Output must be at least 1-D, got shape: []");
  error(F32({4, 3}), Scalar(1), F32({3}),
        "Dimensions [0,1) of indices[shape=[]]");
}

}  // namespace

MR_CASES(ScatterNdUpdate)(CaseList& c) { ScattersNd(c); }
MR_CASES(ScatterNdAdd)(CaseList& c) { ScattersNd(c); }
MR_CASES(ScatterNdSub)(CaseList& c) { ScattersNd(c); }
MR_CASES(ResourceScatterNdUpdate)(CaseList& c) { ScattersNd(c); }
MR_CASES(ResourceScatterNdAdd)(CaseList& c) { ScattersNd(c); }
MR_CASES(ResourceScatterNdSub)(CaseList& c) { ScattersNd(c); }

}  // namespace millrace::cases

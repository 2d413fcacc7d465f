#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// The beginnings of messages in which both kinds of ops differ.
struct Words {
  const char* prefix;
  const char* suffix;
  const char* deep;
  const char* empty;
};

void Scatters(CaseList& c, const Words& words) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {4, 3}), Of(kInt32, {3, 1}, {1, 3, 1}), Rand(t, {3, 3})});
    c.Ok({Rand(t, {4, 3}), Of(DataType::kInt64, {2, 2}, {2, 0, 1, 1}),
          Rand(t, {2})});
  });
  c.Ok({F32({4, 2, 3}), Of(kInt32, {2, 1, 2}, {2, 0, 3, 1}), F32({2, 1, 3})})
      .Gradient({0, 2});
  c.Ok({F32({3}), Of(kInt32, {2, 1}, {2, 0}), F32({2})}).Gradient({0, 2});
  c.Ok({F32({20, 300}), Rand(kInt32, {90, 1}, 0, 20), F32({90, 300})});
  c.Ok({F32({4, 3}), Empty(kInt32, {0, 1}), Empty(kFloat, {0, 3})});
  c.Ok({Empty(kFloat, {0, 3}), Empty(kInt32, {0, 1}), Empty(kFloat, {0, 3})});
  c.Ok({F32({4}), Of(kInt32, {3, 1}, {4, 1, -1}), F32({3})},
       {{"bad_indices_policy", "IGNORE"}});
  c.Ok({F32({4}), Of(kInt32, {1, 1}, {2}), F32({1})},
       {{"bad_indices_policy", "DEFAULT"}});
  c.Error({F32({4}), Of(kInt32, {1, 1}, {2}), F32({1})},
          {{"bad_indices_policy", "FIRST"}}, kInvalid,
          "Unknown bad indices handling attribute: FIRST");
  const auto error = [&](Value tensor, Value indices, Value updates,
                         const char* text) {
    return &c.Error({std::move(tensor), std::move(indices), std::move(updates)},
                    kInvalid, text)
                .NoShapeCheck();
  };
  error(F32({4, 3}), Of(kInt32, {2, 1}, {1, 4}), F32({2, 3}),
        "indices[1] = [4] does not index into shape [4,3]")
      ->Name("a place that is not there");
  error(F32({4, 3}), Of(kInt32, {1, 2, 2}, {1, 2, 0, -1}), F32({1, 2}),
        "indices[0,1] = [0, -1] does not index into shape [4,3]")
      ->Name("a place that is not there");
  error(F32({4, 3}), Of(kInt32, {2, 1}, {1, 2}), F32({1, 3}), words.prefix);
  error(F32({4, 3}), Of(kInt32, {2, 1}, {1, 2}), F32({2, 2}), words.suffix);
  error(F32({4, 3}), Of(kInt32, {1, 3}, {1, 1, 1}), F32({1}), words.deep);
  error(Empty(kFloat, {0, 3}), Of(kInt32, {1, 1}, {0}), F32({1, 3}),
        words.empty);
  error(F32({4, 3}), Empty(kInt32, {2, 0}), F32({2, 4, 3}), words.empty);
  const auto build_error = [&](Value indices, Value updates, const char* text) {
    c.BuildError({F32({4, 3}), std::move(indices), std::move(updates)}, {},
                 text);
  };
  build_error(Of(kInt32, {2, 1}, {1, 2}), F32({3, 3}),
              "Dimensions [0,1) of indices[shape=[2,1]]");
  build_error(Of(kInt32, {2, 1}, {1, 2}), F32({2, 4}),
              "Dimensions [1,2) of input[shape=[4,3]]");
  build_error(Of(kInt32, {2, 3}, {1, 2, 0, 1, 2, 0}), F32({2, 4}),
              "Dimensions [3,2) of input[shape=[4,3]]");
  build_error(Scalar(1), F32({3}),
              "Shape must be at least rank 1 but is rank 0");
}

constexpr Words kTensorWords = {
    "Outer dimensions of indices and update must match.",
    "The inner 1 dimensions of output.shape=[4,3] must match",
    "Inner dimensions of output shape must match inner dimensions",
    "Indices and updates specified for empty output shape"};

}  // namespace

MR_CASES(TensorScatterUpdate)(CaseList& c) { Scatters(c, kTensorWords); }
MR_CASES(TensorScatterAdd)(CaseList& c) { Scatters(c, kTensorWords); }
MR_CASES(TensorScatterSub)(CaseList& c) { Scatters(c, kTensorWords); }
MR_CASES(ScatterNdNonAliasingAdd)(CaseList& c) {
  Scatters(c, {"Dimensions [0,1) of indices[shape=[2,1]]",
               "Dimensions [1,2) of input[shape=[4,3]] must match dimensions",
               "Dimensions [3,2) of input[shape=[4,3]] must match dimensions",
               "Indices and updates specified for empty output."});
  c.Error({F32({}), Of(kInt32, {1, 1}, {0}), F32({1})}, kInvalid,
          "Output must be at least 1-D, got shape: []")
      .NoShapeCheck();
}

}  // namespace millrace::cases

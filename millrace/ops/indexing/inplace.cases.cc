#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

void Rows(CaseList& c, bool moves) {
  c.EachType("T", [moves](CaseList& c, DataType t) {
    const bool taken =
        !IsQuantized(t) &&
        (moves || (t != DataType::kBool && t != DataType::kString));
    if (!taken) {
      c.Error({Rand(t, {4, 3}), Vec({1}), Rand(t, {1, 3})}, kInvalid,
              "Unsupported data type: ");
      return;
    }
    c.Ok({Rand(t, {4, 3}), Vec({0, 2}), Rand(t, {2, 3})});
    c.Ok({Rand(t, {4, 3}), Vec({1, 3, 1}), Rand(t, {3, 3})});
  });
  c.Ok({F32({4, 3}), Vec({-1, 6, -9}), F32({3, 3})}).Name("modulo");
  c.Ok({F32({5}), Vec({4}), F32({1})});
  c.Ok({F32({4, 3}), I32({0}), Empty(kFloat, {0, 3})});
  c.Ok({Empty(kFloat, {0, 3}), Vec({0}), F32({1, 3})});
  c.Ok({Empty(kFloat, {2, 0}), Vec({0}), Empty(kFloat, {1, 0})});
  c.Ok({F32({50, 300}), Rand(DataType::kInt32, {70}, -90, 90), F32({70, 300})});
  const auto error = [&](Value x, Value i, Value v, const char* words) {
    c.Error({std::move(x), std::move(i), std::move(v)}, kInvalid, words);
  };
  error(F32({4, 3}), Scalar(1), F32({3}), "i must be a vector. []");
  error(F32({4, 3}), Vec({1}), F32({3}),
        "x and v shape doesn't match (ranks differ): [4,3] vs. [3]");
  error(F32({4, 3}), Vec({1}), F32({1, 4}),
        "x and v shape doesn't match at index 1 : [4,3] vs. [1,4]");
  error(F32({4, 3}), Vec({1, 2}), F32({1, 3}),
        "i and x shape doesn't match at index 0: [2] vs. [1,3]");
  error(F32({}), Vec({0}), F32({1}),
        "x and v shape doesn't match (ranks differ): [] vs. [1]");
}

}  // namespace

MR_CASES(InplaceUpdate)(CaseList& c) { Rows(c, true); }
MR_CASES(InplaceAdd)(CaseList& c) { Rows(c, false); }
MR_CASES(InplaceSub)(CaseList& c) { Rows(c, false); }

}  // namespace millrace::cases

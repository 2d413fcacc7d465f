#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

void Glimpses(CaseList& c) {
  for (const bool centered : {false, true}) {
    for (const bool normalized : {false, true}) {
      const AttrMap zero = {{"centered", centered},
                            {"normalized", normalized},
                            {"uniform_noise", false},
                            {"noise", "zero"}};
      const double reach = normalized ? 1.2 : 9;
      for (const auto& size : {Vec({3, 4}), Vec({9, 20}), Vec({1, 1})}) {
        c.Ok({F32({6, 7, 8, 2}), size, Rand(kFloat, {6, 2}, -reach, reach)},
             zero);
      }
      c.Ok({F32({1, 7, 8, 1}), Vec({7, 8}), Full(kFloat, {1, 2}, 0)}, zero);
    }
  }
  const AttrMap inside = {{"centered", false}, {"normalized", false}};
  c.Ok({F32({2, 9, 8, 1}), Vec({2, 3}), Full(kFloat, {2, 2}, 3)}, inside)
      .Random();
  c.Ok({F32({2, 5, 5, 2}), Vec({9, 9}), F32({2, 2})}).Random();
  c.Ok({F32({2, 5, 5, 2}), Vec({9, 9}), F32({2, 2})},
       {{"uniform_noise", false}, {"noise", "gaussian"}})
      .Random();
  c.Ok({F32({2, 5, 5, 2}), Vec({9, 9}), F32({2, 2})},
       {{"uniform_noise", false}, {"noise", ""}})
      .Random();
  c.Ok({F32({2, 5, 5, 2}), Vec({0, 9}), F32({2, 2})});
  c.Ok({Empty(kFloat, {0, 5, 5, 2}), Vec({2, 9}), Empty(kFloat, {0, 2})});
  const auto error = [&c](std::vector<Value> in, const char* words) {
    c.Error(std::move(in), kInvalid, words).NoShapeCheck();
  };
  error({F32({5, 5, 2}), Vec({2, 2}), F32({2, 2})},
        "input must be 4-dimensional (batch_size, height, width, depth)");
  error({F32({1, 5, 5, 2}), Vec({2}), F32({1, 2})},
        "input must be a vector of size 2 (height, width)");
  error({F32({1, 5, 5, 2}), Vec({2, 2}), F32({2})}, "input must be a matrix");
  error({F32({1, 5, 5, 2}), Vec({2, 2}), F32({2, 2})},
        "first dimension should be batch");
  error({F32({1, 5, 5, 2}), Vec({2, 2}), F32({1, 3})},
        "second dimension should be of size 2 (y,x)");
}

}  // namespace

MR_CASES(ExtractGlimpse)(CaseList& c) { Glimpses(c); }
MR_CASES(ExtractGlimpseV2)(CaseList& c) { Glimpses(c); }

}  // namespace millrace::cases

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

enum class Rate { kAttribute, kInput };

void Sounds(CaseList& c, Rate where) {
  const auto with = [&](Value tag, Value clips, double rate, int most = 3) {
    std::vector<Value> inputs = {std::move(tag), std::move(clips)};
    AttrMap attrs = {{"max_outputs", most}};
    if (where == Rate::kInput) {
      inputs.push_back(Scalar(kFloat, rate));
    } else {
      attrs.Set("sample_rate", static_cast<float>(rate));
    }
    return std::pair(inputs, attrs);
  };
  const auto ok = [&](std::pair<std::vector<Value>, AttrMap> p) {
    c.Ok(std::move(p.first), std::move(p.second));
  };
  const auto error = [&](std::pair<std::vector<Value>, AttrMap> p,
                         const char* words) {
    c.Error(std::move(p.first), std::move(p.second), kInvalid, words)
        .NoShapeCheck();
  };
  ok(with(StrScalar("tone"), Rand(kFloat, {2, 9, 2}, -1.5, 1.5), 44100));
  ok(with(StrScalar("tone"), F32({5, 4}), 8000.5));
  for (const double rate : {0.0001, 0.5, 1.5, 2.5, 0.75}) {
    ok(with(StrScalar("slow"), F32({2, 4}), rate));
  }
  ok(with(StrScalar("tone"), F32({2, 4, 1}), 8000, 1));
  ok(with(StrScalar("tone"), Empty(kFloat, {0, 4, 1}), 8000));
  error(with(Str({"a"}), F32({2, 4}), 8000), "Tag must be a scalar");
  error(with(StrScalar("a"), F32({4}), 8000),
        "Tensor must be 3-D or 2-D, got: [4]");
  error(with(StrScalar("a"), F32({2, 4}), 0), "sample_rate must be > 0");
  error(with(StrScalar("a"), F32({2, 4}), -1), "sample_rate must be > 0");
  error(with(StrScalar("a"), F32({2, 4}), 1e10),
        "sample_rate must be in (0, 2^32), got: ");
  error(with(StrScalar("a"), F32({1, 4, 70000}), 8000),
        "num_channels must be in (0, 2^16), got: 70000");
}

}  // namespace

MR_CASES(AudioSummary)(CaseList& c) { Sounds(c, Rate::kAttribute); }

MR_CASES(AudioSummaryV2)(CaseList& c) {
  Sounds(c, Rate::kInput);
  c.Ok({StrScalar("a"), F32({2, 4}), Vec(kFloat, {8000})});
  c.Error({StrScalar("a"), F32({2, 4}), Vec(kFloat, {8000, 8000})}, kInvalid,
          "sample_rate must be rank-0 or contain a single value");
}

}  // namespace millrace::cases

#include "millrace/ops/quantize/quantized_values.cases.h"

namespace millrace::cases {
namespace {

struct Bits {
  int64_t num_bits;
  bool narrow_range;
};
constexpr Bits kBits[] = {{8, false}, {8, true},   {2, false}, {2, true},
                          {4, false}, {16, false}, {16, true}};

AttrMap FakeQuantAttrs(Bits b) {
  return {{"num_bits", b.num_bits}, {"narrow_range", b.narrow_range}};
}

constexpr double kFakeQuantRanges[][2] = {
    {-6, 6}, {-3.1, 4.7}, {0, 5}, {1, 5}, {-5, -1}, {-1e-3, 2}, {-1e4, 1e6}};

// Attributes that no kernel is made with.
void BadAttrs(CaseList& c, const std::vector<Value>& inputs) {
  for (const int64_t n : {int64_t{1}, int64_t{17}, int64_t{-8}}) {
    c.Error(inputs, {{"num_bits", n}}, StatusCode::kInvalidArgument,
            "num_bits must be between 2 and 16, inclusive");
  }
}

}  // namespace

MR_CASES(FakeQuantWithMinMaxArgs)(CaseList& c) {
  for (const Bits b : kBits)
    c.Ok({Rand(kFloat, {3, 41}, -8, 8)}, FakeQuantAttrs(b));
  for (const auto& r : kFakeQuantRanges) {
    c.Ok(
        {Rand(kFloat, {200}, r[0] * 1.2 - 1, r[1] * 1.2 + 1)},
        {{"min", static_cast<float>(r[0])}, {"max", static_cast<float>(r[1])}});
  }
  c.Ok({Iota(kFloat, {61}, -15, 0.5)}, {{"min", -10.f}, {"max", 10.f}});
  c.Ok({Rand(kFloat, {}, -8, 8)});
  c.Ok({Rand(kFloat, {2, 3, 2, 1, 5}, -8, 8)});
  c.Ok({Rand(kFloat, {6000}, -8, 8)});
  c.Ok({Mixed(kFloat, {40})});
  c.Ok({Empty(kFloat, {0, 3})});
  BadAttrs(c, {Rand(kFloat, {3}, -8, 8)});
  c.Error({F32({3})}, {{"min", 1.f}, {"max", 1.f}},
          StatusCode::kInvalidArgument,
          "min has to be smaller than max, was: 1 >= 1");
  c.Error({F32({3})}, {{"min", 2.f}, {"max", -1.f}},
          StatusCode::kInvalidArgument, "min has to be smaller than max");
}
MR_CASES(FakeQuantWithMinMaxArgsGradient)(CaseList& c) {
  for (const Bits b : kBits) {
    c.Ok({F32({3, 41}), Rand(kFloat, {3, 41}, -8, 8)}, FakeQuantAttrs(b));
  }
  c.Ok({F32({50}), Iota(kFloat, {50}, -4.9, 0.2)},
       {{"min", -2.3f}, {"max", 4.f}});
  c.Ok({F32({}), Rand(kFloat, {}, -8, 8)});
  c.Ok({F32({5000}), Rand(kFloat, {5000}, -8, 8)});
  c.Ok({F32({40}), Mixed(kFloat, {40})});
  c.Ok({Empty(kFloat, {0}), Empty(kFloat, {0})});
  BadAttrs(c, {F32({3}), F32({3})});
  c.Error({F32({3}), F32({3})}, {{"min", 1.f}, {"max", 1.f}},
          StatusCode::kInvalidArgument, "min has to be smaller than max");
  c.Error({F32({3}), F32({4})}, StatusCode::kInvalidArgument, "").Name("sizes");
}
MR_CASES(FakeQuantWithMinMaxVars)(CaseList& c) {
  for (const Bits b : kBits) {
    c.Ok({Rand(kFloat, {3, 41}, -8, 8), F(-6), F(6)}, FakeQuantAttrs(b));
  }
  for (const auto& r : kFakeQuantRanges) {
    c.Ok({Rand(kFloat, {200}, r[0] * 1.2 - 1, r[1] * 1.2 + 1), F(r[0]),
          F(r[1])});
  }
  c.Ok({F32({20}), F(0), F(0)});
  c.Ok({F32({20}), F(1), F(1)}).Name("empty range");
  c.Ok({F32({20}), F(1), F(-1)}).Name("range upside down");
  c.Ok({Rand(kFloat, {}, -8, 8), F(-6), F(6)});
  c.Ok({Rand(kFloat, {2, 3, 2, 1, 5}, -8, 8), F(-6), F(6)});
  c.Ok({Rand(kFloat, {6000}, -8, 8), F(-6), F(6)});
  c.Ok({Mixed(kFloat, {40}), F(-6), F(6)});
  c.Ok({Empty(kFloat, {0, 3}), F(-6), F(6)});
  BadAttrs(c, {F32({3}), F(-1), F(1)});
  c.Error({F32({3}), F32({1}), F(1)}, StatusCode::kInvalidArgument,
          "`min` must be rank 0 but is rank 1");
  c.Error({F32({3}), F(1), Empty(kFloat, {0, 2})}, StatusCode::kInvalidArgument,
          "`max` must be rank 0 but is rank 2");
  c.BuildError({F32({3}), F32({1}), F(1)}, {}, "Shape must be rank 0");
}
MR_CASES(FakeQuantWithMinMaxVarsGradient)(CaseList& c) {
  for (const Bits b : kBits) {
    c.Ok({F32({3, 41}), Rand(kFloat, {3, 41}, -8, 8), F(-6), F(6)},
         FakeQuantAttrs(b));
  }
  c.Ok({F32({50}), Iota(kFloat, {50}, -4.9, 0.2), F(-2.3), F(4)});
  c.Ok({F32({20}), F32({20}), F(0), F(0)});
  c.Ok({F32({}), Rand(kFloat, {}, -8, 8), F(-6), F(6)});
  c.Ok({F32({30000}), Rand(kFloat, {30000}, -8, 8), F(-6), F(6)})
      .Tolerance(1e-4);
  c.Ok({F32({40}), MixedNoNan(kFloat, {40}), F(-6), F(6)});
  c.Ok({Empty(kFloat, {0}), Empty(kFloat, {0}), F(-6), F(6)});
  BadAttrs(c, {F32({3}), F32({3}), F(-1), F(1)});
  c.Error({F32({3}), F32({4}), F(-1), F(1)}, StatusCode::kInvalidArgument,
          "gradient and input must be the same size");
  c.Error({F32({3}), F32({3}), F32({1}), F(1)}, StatusCode::kInvalidArgument,
          "`min` must be rank 0 but is rank 1");
  c.Error({F32({3}), F32({3}), F(1), F32({2})}, StatusCode::kInvalidArgument,
          "`max` must be rank 0 but is rank 1");
  c.BuildError({F32({3}), F32({4}), F(-1), F(1)}, {}, "");
}
MR_CASES(FakeQuantWithMinMaxVarsPerChannel)(CaseList& c) {
  for (const Bits b : kBits) {
    c.Ok({Rand(kFloat, {7, 3}, -8, 8), Vec(kFloat, {-6, -3.1, 0}),
          Vec(kFloat, {6, 4.7, 5})},
         FakeQuantAttrs(b));
  }
  c.Ok({Rand(kFloat, {5}, -8, 8), Vec(kFloat, {-6, -1, 0, 1, 0}),
        Vec(kFloat, {6, 2, 0, 5, 4})});
  c.Ok({Rand(kFloat, {2, 3, 2, 4}, -8, 8), Rand(kFloat, {4}, -6, -1),
        Rand(kFloat, {4}, 1, 6)});
  c.Ok({Rand(kFloat, {3, 2, 1, 3, 2}, -8, 8), Rand(kFloat, {2}, -6, -1),
        Rand(kFloat, {2}, 1, 6)});
  c.Ok({Rand(kFloat, {3, 700}, -8, 8), Rand(kFloat, {700}, -6, -1),
        Rand(kFloat, {700}, 1, 6)});
  c.Ok({Rand(kFloat, {2500, 3}, -8, 8), Rand(kFloat, {3}, -6, -1),
        Rand(kFloat, {3}, 1, 6)});
  c.Ok({Rand(kFloat, {9, 1}, -8, 8), Vec(kFloat, {-6}), Vec(kFloat, {6})});
  c.Ok({Mixed(kFloat, {20, 2}), Vec(kFloat, {-6, -1}), Vec(kFloat, {6, 1})});
  c.Ok({Empty(kFloat, {0, 2}), Vec(kFloat, {-6, -1}), Vec(kFloat, {6, 1})});
  c.Ok({Empty(kFloat, {3, 0}), Empty(kFloat, {0}), Empty(kFloat, {0})});
  BadAttrs(c, {F32({2, 1}), Vec(kFloat, {-1}), Vec(kFloat, {1})});
  c.Error({F32({2, 3}), F32({}), F32({3})}, StatusCode::kInvalidArgument,
          "`min` must be rank 1 but is rank 0");
  c.Error({F32({2, 3}), F32({3}), F32({3, 1})}, StatusCode::kInvalidArgument,
          "`max` must be rank 1 but is rank 2");
  c.Error({F32({2, 3}), F32({2}), F32({3})}, StatusCode::kInvalidArgument,
          "min has incorrect size, expected 3 was 2");
  c.Error({F32({2, 3}), F32({3}), F32({4})}, StatusCode::kInvalidArgument,
          "max has incorrect size, expected 3 was 4");
  c.BuildError({F32({2, 3}), F32({2}), F32({3})}, {},
               "Dimensions must be equal, but are 3 and 2");
  c.BuildError({F32({}), F32({1}), F32({1})}, {},
               "Shape must be at least rank 1");
}
MR_CASES(FakeQuantWithMinMaxVarsPerChannelGradient)(CaseList& c) {
  for (const Bits b : kBits) {
    c.Ok({F32({7, 3}), Rand(kFloat, {7, 3}, -8, 8), Vec(kFloat, {-6, -3.1, 0}),
          Vec(kFloat, {6, 4.7, 5})},
         FakeQuantAttrs(b));
  }
  c.Ok({F32({5}), Rand(kFloat, {5}, -8, 8), Vec(kFloat, {-6, -1, 0, 1, 0}),
        Vec(kFloat, {6, 2, 0, 5, 4})});
  c.Ok({F32({2, 3, 2, 4}), Rand(kFloat, {2, 3, 2, 4}, -8, 8),
        Rand(kFloat, {4}, -6, -1), Rand(kFloat, {4}, 1, 6)});
  c.Ok({F32({3, 700}), Rand(kFloat, {3, 700}, -8, 8),
        Rand(kFloat, {700}, -6, -1), Rand(kFloat, {700}, 1, 6)});
  c.Ok({F32({4000, 3}), Rand(kFloat, {4000, 3}, -8, 8),
        Rand(kFloat, {3}, -6, -1), Rand(kFloat, {3}, 1, 6)})
      .Tolerance(1e-4);
  c.Ok({F32({20, 2}), MixedNoNan(kFloat, {20, 2}), Vec(kFloat, {-6, -1}),
        Vec(kFloat, {6, 1})});
  c.Ok({Empty(kFloat, {0, 2}), Empty(kFloat, {0, 2}), Vec(kFloat, {-6, -1}),
        Vec(kFloat, {6, 1})});
  BadAttrs(c, {F32({2, 1}), F32({2, 1}), Vec(kFloat, {-1}), Vec(kFloat, {1})});
  c.Error({F32({2, 3}), F32({3, 3}), F32({3}), F32({3})},
          StatusCode::kInvalidArgument,
          "gradient and input must be the same size");
  c.Error({F32({2, 3}), F32({2, 3}), F32({}), F32({3})},
          StatusCode::kInvalidArgument, "`min` must be rank 1 but is rank 0");
  c.Error({F32({2, 3}), F32({2, 3}), F32({3}), F32({2})},
          StatusCode::kInvalidArgument,
          "max has incorrect size, expected 3 was 2");
  c.BuildError({F32({1, 2, 1, 2, 1}), F32({1, 2, 1, 2, 1}), F32({1}), F32({1})},
               {}, "Shape must be at most rank 4 but is rank 5");
}

}  // namespace millrace::cases

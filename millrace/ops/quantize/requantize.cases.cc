#include "millrace/ops/quantize/quantized_values.cases.h"

namespace millrace::cases {
namespace {

Value Sums(TensorShape shape) { return Rand(kQ, std::move(shape), -2e9, 2e9); }
// Returns small numbers of a large range, like products of bytes.
Value Small(TensorShape shape) { return Rand(kQ, std::move(shape), -3e6, 4e6); }

}  // namespace

MR_CASES(Requantize)(CaseList& c) {
  c.EachType("out_type", [](CaseList& c, DataType t) {
    const AttrMap attrs = {{"out_type", t}};
    constexpr double kRanges[][4] = {
        {-256, 256, -256, 256}, {-256, 256, -100, 200},  {-3e4, 3e4, -6, 7},
        {-1, 5, 0, 4},          {-2, 2, -2, -2},         {-2, 2, 0, 0},
        {3, 5, -1, 1},          {-1e6, 1e6, -1e-3, 1e-3}};
    for (const auto& r : kRanges) {
      Case& k =
          c.Ok({Sums({3, 41}), F(r[0]), F(r[1]), F(r[2]), F(r[3])}, attrs);
      if (r[1] == 1e6 && t == DataType::kQuint8) {
        k.Deviates("stock's sums overflow, which gives either end");
      }
    }
    c.Ok({Small({3, 41}), F(-3e4), F(3e4), F(-42), F(56)}, attrs);
    c.Ok({Small({7000}), F(-3e4), F(3e4), F(-42), F(56)}, attrs);
    c.Ok({Mixed(kQ, {9}), F(-2), F(2), F(-1), F(1)}, attrs);
    c.Ok({Small({}), F(-2), F(2), F(-1), F(1)}, attrs);
    c.Ok({Small({2, 1, 2, 1, 2}), F(-2), F(2), F(-1), F(1)}, attrs);
    c.Ok({Empty(kQ, {0, 2}), F(-2), F(2), F(-1), F(1)}, attrs);
  });
  const AttrMap attrs = {{"out_type", DataType::kQuint8}};
  c.Error({Small({3}), F(-1), F(1), F(0.5), F(1)}, attrs, kBad,
          "requested_output_min must be <= 0, but got 0.5");
  c.Error({Small({3}), F(-1), F(1), F(-1), F(-2)}, attrs, kBad,
          "requested_output_max must be >= requested_output_min, but got -2 "
          "and -1");
  c.Error({Small({3}), F32({1}), F(1), F(-1), F(2)}, attrs, kBad,
          "`input_min` must be rank 0 but is rank 1");
  c.Error({Small({3}), F(-1), F(1), F(-1), Empty(kFloat, {0})}, attrs, kBad,
          "`requested_output_max` must be rank 0 but is rank 1");
  c.BuildError({Small({3}), F(-1), F(1), F(-1), F32({2})}, attrs,
               "Shape must be rank 0");
}

MR_CASES(RequantizationRange)(CaseList& c) {
  c.Ok({Sums({3, 41}), F(-256), F(256)});
  c.Ok({Small({3, 41}), F(-3e4), F(3e4)});
  c.Ok({Rand(kQ, {9}, 5e8, 2e9), F(-3e4), F(3e4)});
  c.Ok({Rand(kQ, {9}, -2e9, -5e8), F(-3e4), F(3e4)});
  c.Ok({Sums({50000}), F(-1), F(1)});
  c.Ok({Small({}), F(-1), F(1)});
  c.Ok({Small({2, 1, 2, 1, 2}), F(2), F(2)});
  c.Ok({Empty(kQ, {0}), F(-1), F(1)});
  c.Error({Small({3}), Empty(kFloat, {0}), F(1)}, kBad,
          "Input min must not be empty.");
  c.Error({Small({3}), F(1), Empty(kFloat, {0})}, kBad,
          "Input max must not be empty.");
  c.BuildError({Small({3}), F(-1), F32({2})}, {}, "Shape must be rank 0");
}

MR_CASES(QuantizeDownAndShrinkRange)(CaseList& c) {
  const AttrMap attrs = {{"out_type", DataType::kQuint8}};
  c.Ok({Sums({3, 41}), F(-256), F(256)}, attrs);
  c.Ok({Small({3, 41}), F(-3e4), F(3e4)}, attrs);
  c.Ok({Rand(kQ, {9}, 5e8, 2e9), F(-3e4), F(3e4)}, attrs);
  c.Ok({Rand(kQ, {9}, -2e9, -5e8), F(-3e4), F(3e4)}, attrs);
  c.Ok({Full(kQ, {9}, 0), F(-3e4), F(3e4)}, attrs);
  c.Ok({Sums({50000}), F(-1), F(1)}, attrs);
  c.Ok({Small({}), F(-1), F(1)}, attrs);
  c.Ok({Small({2, 1, 2, 1, 2}), F(-1), F(2)}, attrs);
  c.Ok({Empty(kQ, {0}), F(-1), F(1)}, attrs);
  c.Error({Small({3}), F32({1}), F(1)}, attrs, kBad,
          "`input_min` must be rank 0 but is rank 1");
  c.Error({Small({3}), F(-1), Empty(kFloat, {0})}, attrs, kBad,
          "`input_max` must be rank 0 but is rank 1");
}

MR_CASES(RequantizePerChannel)(CaseList& c) {
  c.EachType("out_type", [](CaseList& c, DataType t) {
    const AttrMap attrs = {{"out_type", t}};
    c.Ok({Sums({2, 3, 4, 5}), Rand(kFloat, {5}, -300, -100),
          Rand(kFloat, {5}, 100, 300), F(-200), F(200)},
         attrs);
    c.Ok({Small({2, 3, 4, 5}), Rand(kFloat, {5}, -3e4, -1e4),
          Rand(kFloat, {5}, 1e4, 3e4), F(-42), F(42)},
         attrs);
    c.Ok({Small({1, 30, 40, 3}), Rand(kFloat, {3}, -3e4, -1e4),
          Rand(kFloat, {3}, 1e4, 3e4), F(-30), F(56)},
         attrs);
    c.Ok({Rand(kQ, {1, 2, 2, 1}, -9, 9), Vec(kFloat, {-0x1p31}),
          Vec(kFloat, {0x1p31}), F(-254), F(254)},
         attrs);
  });
  const AttrMap attrs = {{"out_type", DataType::kQint8}};
  c.Error({Small({2, 3}), F32({3}), F32({3}), F(-1), F(1)}, attrs, kBad,
          "Current RequantizePerChannel operatorsupports 4D tensors only.");
  c.Error({Small({1, 1, 2, 3}), F32({3}), F32({2}), F(-1), F(1)}, attrs, kBad,
          "input_max has incorrect size, expected 3 was 2");
  c.Error({Small({1, 1, 2, 3}), F32({3}), F32({3}), F(1), F(1)}, attrs, kBad,
          "If out_type is QINT8, requested_output_max must be non negative, "
          "got 1");
  c.Error({Small({1, 1, 2, 3}), F32({3}), F32({3}), Empty(kFloat, {0}), F(1)},
          attrs, kBad, "requested_output_min must be a scalar");
  c.BuildError({Small({1, 1, 2, 3}), F(1), F32({3}), F(1), F(1)}, attrs,
               "Shape must be rank 1");
}

MR_CASES(RequantizationRangePerChannel)(CaseList& c) {
  for (const float clip : {1e9f, 100.f}) {
    const AttrMap attrs = {{"clip_value_max", clip}};
    c.Ok({Sums({2, 3, 4, 5}), Rand(kFloat, {5}, -300, -100),
          Rand(kFloat, {5}, 100, 300)},
         attrs);
    c.Ok({Rand(kQ, {2, 3, 4, 5}, 0, 2e9), Rand(kFloat, {5}, -300, -100),
          Rand(kFloat, {5}, 100, 300)},
         attrs);
    c.Ok({Full(kQ, {1, 1, 1, 2}, 0), Rand(kFloat, {2}, -300, -100),
          Rand(kFloat, {2}, 100, 300)},
         attrs);
  }
  const AttrMap attrs = {{"clip_value_max", 6.f}};
  c.Error({Small({2, 3}), F32({3}), F32({3})}, attrs, kBad,
          "input must be in NHWC format");
  c.Error({Small({1, 1, 2, 3}), F32({2}), F32({3})}, attrs, kBad,
          "input_min has incorrect size, expected 3 was 2");
  c.BuildError({Small({1, 1, 2, 3}), F(1), F32({3})}, attrs,
               "Shape must be rank 1");
}

}  // namespace millrace::cases

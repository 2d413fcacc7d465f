#include <limits>

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr DataType kF = DataType::kFloat;
constexpr DataType kU = DataType::kQuint8;
const auto kBad = StatusCode::kInvalidArgument;

Value F(double v) { return Scalar(kF, v); }
Value Bytes(TensorShape shape) { return Rand(kU, std::move(shape), 0, 256); }
AttrMap Conv(int64_t stride, const char* padding) {
  return {{"strides", IntList{1, stride, stride, 1}}, {"padding", padding}};
}

}  // namespace

MR_CASES(QuantizedMatMul)(CaseList& c) {
  constexpr double kRanges[][4] = {{0, 255, 0, 255},   {-1, 1, -2, 3},
                                   {-6, 0, -0.5, 0.1}, {0, 6, -3, 3},
                                   {1, 5, -4, -2},     {-5, -4, 0.5, 8}};
  for (const auto& r : kRanges) {
    c.Ok({Bytes({7, 13}), Bytes({13, 5}), F(r[0]), F(r[1]), F(r[2]), F(r[3])});
  }
  const std::vector<Value> ranges = {F(-1), F(1), F(-2), F(3)};
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      const AttrMap attrs = {{"transpose_a", ta}, {"transpose_b", tb}};
      const auto add = [&](int64_t m, int64_t k, int64_t n) {
        std::vector<Value> in = {
            Bytes(ta ? TensorShape({k, m}) : TensorShape({m, k})),
            Bytes(tb ? TensorShape({n, k}) : TensorShape({k, n}))};
        in.insert(in.end(), ranges.begin(), ranges.end());
        c.Ok(in, attrs);
      };
      add(1, 1, 1);
      add(3, 2, 4);
      add(49, 33, 65);
      add(100, 70, 300);
      add(5, 5001, 3);
      add(1, 64, 40);
    }
  }
  // The type of an activation that could be fused; it changes nothing.
  c.EachType("Tactivation", [](CaseList& c, DataType t) {
    c.Ok({Bytes({2, 3}), Bytes({3, 2}), F(-1), F(1), F(-2), F(3)},
         {{"Tactivation", t}});
  });
  // Sums wrap around where they are too large.
  c.Ok({Full(kU, {2, 40000}, 255), Full(kU, {40000, 2}, 255), F(0), F(1), F(0),
        F(1)});
  c.Ok({Empty(kU, {0, 3}), Bytes({3, 2}), F(0), F(1), F(0), F(1)});
  c.Ok({Bytes({2, 3}), Empty(kU, {3, 0}), F(0), F(1), F(0), F(1)});
  c.Ok({Empty(kU, {2, 0}), Empty(kU, {0, 2}), F(0), F(1), F(0), F(1)})
      .NoStock("stock leaves the output uninitialized");
  c.Ok({Empty(kU, {0, 0}), Empty(kU, {0, int64_t{1} << 40}), F(0), F(1), F(-1),
        F(1)})
      .NoStock("it packs columns without a number");
  c.Error({Bytes({2, 3}), Bytes({3, 2}), F(1), F(1), F(0), F(1)}, kBad,
          "max_a must be larger than min_a.");
  c.Error({Bytes({2, 3}), Bytes({3, 2}), F(0), F(1), F(2), F(1)}, kBad,
          "max_b must be larger than min_b.");
  c.Error({Bytes({2, 3}), Bytes({3, 2}), F32({1}), F(1), F(2), F(1)}, kBad,
          "min_a must be a scalar");
  c.Error({Bytes({2, 3}), Bytes({3, 2}), F(0), F(1), F(0), Empty(kF, {0})},
          kBad, "max_b must be a scalar");
  c.Error({Bytes({3}), Bytes({3, 2}), F(0), F(1), F(0), F(1)}, kBad,
          "In[0] is not a matrix");
  c.Error({Bytes({2, 3}), Bytes({1, 3, 2}), F(0), F(1), F(0), F(1)}, kBad,
          "In[1] is not a matrix");
  c.Error({Bytes({2, 3}), Bytes({2, 3}), F(0), F(1), F(0), F(1)}, kBad,
          "Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]");
  c.BuildError({Bytes({2, 3}), Bytes({2, 3}), F(0), F(1), F(0), F(1)}, {},
               "Dimensions must be equal");
  c.BuildError({Bytes({2, 3}), Bytes({3, 3}), F(0), F(1), F(0), F32({1})}, {},
               "Shape must be rank 0");
}

MR_CASES(QuantizedConv2D)(CaseList& c) {
  constexpr double kRanges[][4] = {{0, 255, 0, 255},
                                   {-1, 1, -2, 3},
                                   {-6, 0, -0.5, 0.1},
                                   {0, 6, 1, 3},
                                   {1, 5, -4, -2}};
  for (const char* padding : {"SAME", "VALID"}) {
    for (const auto& r : kRanges) {
      c.Ok({Bytes({2, 6, 7, 3}), Bytes({3, 2, 3, 5}), F(r[0]), F(r[1]), F(r[2]),
            F(r[3])},
           Conv(1, padding));
    }
    for (const int64_t stride : {2, 3, 4}) {
      c.Ok({Bytes({1, 9, 8, 2}), Bytes({3, 3, 2, 4}), F(-1), F(1), F(-2), F(3)},
           Conv(stride, padding));
      c.Ok({Bytes({1, 8, 7, 2}), Bytes({1, 1, 2, 4}), F(-1), F(1), F(-2), F(3)},
           Conv(stride, padding));
    }
    c.Ok(
        {Bytes({3, 15, 14, 8}), Bytes({3, 3, 8, 40}), F(-1), F(1), F(-2), F(3)},
        Conv(1, padding));
    c.Ok({Bytes({1, 5, 5, 300}), Bytes({3, 3, 300, 7}), F(-1), F(1), F(-2),
          F(3)},
         Conv(1, padding));
    c.Ok({Bytes({1, 3, 3, 1}), Bytes({3, 3, 1, 1}), F(0), F(1), F(0), F(1)},
         Conv(1, padding));
    c.Ok({Bytes({2, 6, 7, 3}), Bytes({3, 2, 3, 5}), F(-5), F(-4), F(0), F(1)},
         Conv(1, padding))
        .Deviates("stock pads with the lowest bits of a zero beyond 255");
  }
  // The filter is larger than the image.
  c.Ok({Bytes({1, 2, 2, 1}), Bytes({5, 5, 1, 2}), F(-1), F(1), F(-2), F(3)},
       Conv(1, "SAME"));
  c.Ok({Empty(kU, {0, 3, 3, 1}), Bytes({2, 2, 1, 2}), F(-1), F(1), F(-2), F(3)},
       Conv(1, "SAME"))
      .NoStock("stock ends the process");
  const auto error = [&c](std::vector<Value> in, AttrMap attrs,
                          const char* words) {
    in.insert(in.end(), {F(-1), F(1), F(-2), F(3)});
    c.Error(std::move(in), std::move(attrs), kBad, words);
  };
  error({Bytes({3, 3, 1}), Bytes({2, 2, 1, 1})}, Conv(1, "SAME"),
        "input must be rank 4 but is rank 3");
  error({Bytes({1, 3, 3, 1}), Bytes({2, 2, 1})}, Conv(1, "SAME"),
        "filter must be rank 4 but is rank 3");
  error({Bytes({1, 3, 3, 2}), Bytes({2, 2, 1, 1})}, Conv(1, "SAME"),
        "input and filter must have the same depth: 2 vs 1");
  error({Bytes({1, 3, 3, 1}), Bytes({2, 2, 1, 1})},
        {{"strides", IntList{1, 1, 2, 1}}, {"padding", "SAME"}},
        "Current implementation only supports equal length strides");
  error({Bytes({1, 3, 3, 1}), Bytes({2, 2, 1, 1})},
        {{"strides", IntList{1, 1, 1, 1}},
         {"padding", "SAME"},
         {"dilations", IntList{1, 2, 2, 1}}},
        "Current implementation only supports dilated rate as 1");
  c.Error(
      {Bytes({1, 3, 3, 1}), Bytes({2, 2, 1, 1}), F32({1}), F(1), F(0), F(1)},
      Conv(1, "SAME"), kBad, "min_input must be rank 0 but is rank 1");
  c.BuildError(
      {Bytes({1, 3, 3, 1}), Bytes({2, 2, 1, 1}), F(0), F(1), F(0), F32({2})},
      Conv(1, "SAME"), "Shape must be rank 0");
}

}  // namespace millrace::cases

#include "millrace/ops/quantize/quantized_values.cases.h"

namespace millrace::cases {
namespace {

AttrMap Conv(int64_t stride, const char* padding) {
  return {{"strides", IntList{1, stride, stride, 1}}, {"padding", padding}};
}

}  // namespace

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

#include "millrace/ops/quantize/quantized_values.cases.h"

namespace millrace::cases {
namespace {

// Images of this shape and channels for them, with ranges.
std::vector<Value> Batch(TensorShape images, int64_t depth) {
  return {Bytes(std::move(images)), F(-4),  F(5), Bytes({depth}), F(-1), F(1),
          Bytes({depth}),           F(0.1), F(2), Bytes({depth}), F(-2), F(1),
          Bytes({depth}),           F(0),   F(3)};
}
AttrMap NormAttrs(bool scale = true, float epsilon = 0.001f) {
  return {{"out_type", DataType::kQint32},
          {"variance_epsilon", epsilon},
          {"scale_after_normalization", scale}};
}

}  // namespace

MR_CASES(QuantizedBatchNormWithGlobalNormalization)(CaseList& c) {
  for (const bool scale : {false, true}) {
    c.Ok(Batch({2, 3, 4, 5}, 5), NormAttrs(scale));
    c.Ok(Batch({1, 20, 30, 7}, 7), NormAttrs(scale, 0.1f));
    c.Ok(Batch({0, 3, 4, 5}, 5), NormAttrs(scale));
  }
  std::vector<Value> in = Batch({1, 2, 2, 2}, 2);
  in[1] = Vec(kFloat, {-3});
  c.Ok(in, NormAttrs());
  in = Batch({1, 2, 2, 1}, 1);
  c.Error(in, NormAttrs(), kBad, "Must have at least a mean value");
  in = Batch({2, 2, 2}, 2);
  c.Error(in, NormAttrs(), kBad, "input must be 4-dimensional[2,2,2]");
  in = Batch({1, 2, 2, 3}, 2);
  c.Error(in, NormAttrs(), kBad,
          "Must provide as many means as the last dimension of the input "
          "tensor: [2] vs. [1,2,2,3]");
  in = Batch({1, 2, 2, 2}, 2);
  in[9] = Bytes({3});
  c.Error(in, NormAttrs(), kBad,
          "Mean and beta tensors must have the same shape: [2] vs. [3]");
  in = Batch({1, 2, 2, 2}, 2);
  in[12] = Bytes({2, 1});
  c.Error(in, NormAttrs(), kBad, "gamma must be 1-dimensional[2,1]");
  in = Batch({1, 2, 2, 2}, 2);
  in[1] = F32({2});
  c.Error(in, NormAttrs(), kBad, "input_min must have 1 element");
  in = Batch({1, 2, 2, 3}, 2);
  c.BuildError(in, NormAttrs(), "Dimensions must be equal, but are 3 and 2");
}

MR_CASES(QuantizedInstanceNorm)(CaseList& c) {
  // Stock's sums are rounded, so a number may differ by one.
  const auto ok = [&c](std::vector<Value> in, AttrMap attrs) {
    c.Ok(std::move(in), std::move(attrs)).Tolerance(2e-5, 1);
  };
  ok({Bytes({2, 5, 6, 3}), F(-1), F(2)}, {});
  ok({Bytes({1, 20, 30, 16}), F(0), F(255)}, {});
  ok({Bytes({3, 1, 1, 4}), F(-1), F(2)}, {});
  ok({Bytes({2, 5, 6, 3}), F(-1), F(2)}, {{"variance_epsilon", 1.f}});
  ok({Bytes({2, 5, 6, 3}), F(-1), F(2)}, {{"min_separation", 100.f}});
  ok({Full(kU, {1, 2, 2, 1}, 7), F(-1), F(2)}, {});
  ok({Bytes({2, 5, 6, 3}), F(-1), F(2)}, {{"output_range_given", true},
                                          {"given_y_min", -1.f},
                                          {"given_y_max", 1.5f}});
  c.Error({Bytes({1, 2, 2, 1}), F(1), F(1)}, kBad,
          "input_min must be less than input_max : 1 >= 1");
  c.Error({Bytes({1, 2, 2, 1}), F32({1}), F(1)}, kBad,
          "`x_min` must be rank 0 but is rank 1");
  c.Error({Bytes({1, 2, 2, 1}), F(0), F(1)},
          {{"output_range_given", true},
           {"given_y_min", 2.f},
           {"given_y_max", 2.f}},
          kBad, "given_y_min must be less than given_y_max : 2 >= 2");
  c.BuildError({Bytes({2, 2}), F(0), F(1)}, {},
               "Shape must be rank 4 but is rank 2");
}

}  // namespace millrace::cases

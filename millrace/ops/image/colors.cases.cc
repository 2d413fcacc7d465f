#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

Value Colors(DataType type, TensorShape shape) {
  return Rand(type, std::move(shape), 0, 1);
}
// Greys, pure colours, two equal ones, black and white.
Value Corners(DataType type) {
  return Of(type, {4, 3, 3},
            {0, 0, 0, 1,    1,   1,    0.5,  0.5,  0.5, 1,   0,    0,
             0, 1, 0, 0,    0,   1,    1,    1,    0,   0,   1,    1,
             1, 0, 1, 0.25, 0.5, 0.25, 0.75, 0.75, 0.5, 0.5, 0.25, 0.5});
}
double Near(DataType t) {
  return t == DataType::kHalf       ? 4e-3
         : t == DataType::kBfloat16 ? 4e-2
         : t == DataType::kDouble   ? 1e-12
                                    : 1e-6;
}

void ColorSpace(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Colors(t, {5, 7, 3})}).Tolerance(Near(t));
    c.Ok({Colors(t, {2, 9, 11, 3})}).Tolerance(Near(t));
    c.Ok({Corners(t)}).Tolerance(Near(t));
    c.Ok({Colors(t, {3})}).Tolerance(Near(t));
    c.Ok({Empty(t, {2, 0, 3})});
  });
  c.Ok({Rand(DataType::kFloat, {2, 2, 4, 5, 3}, -2, 3)}).Tolerance(1e-5);
  c.Error({Scalar(DataType::kFloat, 1)}, kInvalid, "input must be at least 1D")
      .NoShapeCheck();
  c.Error({F32({2, 4})}, StatusCode::kFailedPrecondition,
          "input must have 3 channels but input only has 4")
      .NoShapeCheck();
  c.BuildError({F32({2, 4})}, {}, "Dimension must be 3 but is 4");
}

void Adjusts(CaseList& c, std::initializer_list<double> amounts,
             const char* name) {
  for (const double by : amounts) {
    const Value amount = Scalar(DataType::kFloat, by);
    c.Ok({Colors(DataType::kFloat, {5, 7, 3}), amount}).Tolerance(1e-5);
    c.Ok({Colors(DataType::kFloat, {2, 9, 11, 3}), amount}).Tolerance(1e-5);
    c.Ok({Corners(DataType::kFloat), amount}).Tolerance(1e-5);
    c.Ok({Rand(DataType::kFloat, {2, 1, 3, 2, 3}, -2, 3), amount})
        .Tolerance(1e-5);
  }
  c.Ok({Empty(DataType::kFloat, {0, 3, 3}), Scalar(DataType::kFloat, 1)});
  c.Error({F32({2, 3}), Scalar(DataType::kFloat, 1)}, kInvalid,
          "input must be at least 3-D, got shape")
      .NoShapeCheck();
  c.Error({F32({2, 3, 3}), F32({1})}, kInvalid, name).NoShapeCheck();
}
void NeedsThreeChannels(CaseList& c) {
  c.Error({F32({2, 3, 4}), Scalar(DataType::kFloat, 1)}, kInvalid,
          "input must have 3 channels but instead has 4 channels.");
}

}  // namespace

MR_CASES(RGBToHSV)(CaseList& c) {
  ColorSpace(c);
  c.Ok({Rand(DataType::kDouble, {4, 5, 3}, 0.05, 1)}).Gradient();
}
MR_CASES(HSVToRGB)(CaseList& c) { ColorSpace(c); }
MR_CASES(AdjustHue)(CaseList& c) {
  Adjusts(c, {0, 0.1, -0.25, 0.5, 1, -3.3, 7.75}, "delta must be scalar");
  NeedsThreeChannels(c);
}
MR_CASES(AdjustSaturation)(CaseList& c) {
  Adjusts(c, {0, 0.5, 1, 2.5, -1}, "scale must be scalar");
  NeedsThreeChannels(c);
}
MR_CASES(AdjustContrastv2)(CaseList& c) {
  Adjusts(c, {0, 0.5, 1, 2.5, -1}, "contrast_factor must be scalar");
  c.Ok({F32({3, 64, 33, 2}), Scalar(DataType::kFloat, 1.5)}).Tolerance(1e-5);
  c.Ok({F32({1, 90, 70, 3}), Scalar(DataType::kFloat, 1.5)}).Tolerance(1e-5);
  c.Ok({F32({1, 1, 5}), Scalar(DataType::kFloat, 2)});
  c.Ok({Mixed(DataType::kFloat, {3, 2, 2, 5}), Scalar(DataType::kFloat, 2)})
      .Tolerance(1e-5);
}

MR_CASES(AdjustContrast)(CaseList& c) {
  const DataType f = DataType::kFloat;
  const auto inputs = [&](Value images, double factor, double least,
                          double most) -> std::vector<Value> {
    return {std::move(images), Scalar(f, factor), Scalar(f, least),
            Scalar(f, most)};
  };
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok(inputs(Rand(t, {2, 3, 4, 3}, 0, 100), 1.7, 10, 80)).Tolerance(1e-4);
    c.Ok(inputs(Rand(t, {5, 3, 2}, -50, 50), -0.5, -20, 20)).Tolerance(1e-4);
  });
  c.Ok(inputs(F32({2, 2, 3, 3}), 2, 1, -1)).Tolerance(1e-5);
  c.Ok(inputs(F32({0, 2, 3, 3}), 2, -1, 1));
  c.Ok(inputs(F32({1, 0, 3, 3}), 2, -1, 1));
  c.Ok(inputs(F32({3, 64, 33, 2}), 1.5, -1, 1)).Tolerance(1e-4);
  const Value one = Scalar(f, 1), two = F32({2}), images = F32({1, 2, 2, 3});
  c.Error(inputs(F32({2, 3}), 1, 0, 1), kInvalid,
          "input must be at least 3-D, got shape[2,3]");
  c.Error({images, two, one, one}, kInvalid,
          "contrast_factor must be scalar: [2]");
  c.Error({images, one, two, one}, kInvalid, "min_value must be scalar: [2]");
  c.Error({images, one, one, two}, kInvalid, "max_value must be scalar: [2]");
  c.BuildError(inputs(F32({2, 3}), 1, 0, 1), {},
               "must be at least rank 3 but is rank 2");
  c.BuildError({images, one, one, two}, {}, "must be rank 0 but is rank 1");
}

}  // namespace millrace::cases

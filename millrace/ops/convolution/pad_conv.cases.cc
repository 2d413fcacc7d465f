#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

double PadConvTolerance(DataType t) {
  if (t == DataType::kHalf) return 2e-2;
  if (t == DataType::kBfloat16) return 3e-2;
  return 1e-5;  // the weights of resized pixels are float for double, too
}

AttrMap PadConvAttrs(const char* mode, const char* padding, int64_t stride) {
  return {{"mode", mode},
          {"padding", padding},
          {"strides", IntList({1, stride, stride, 1})}};
}
AttrMap Plain() { return PadConvAttrs("REFLECT", "VALID", 1); }

Value Paddings(std::initializer_list<double> values) {
  return Of(DataType::kInt32, {4, 2}, values);
}

// The inputs of both ops; the size is left out for the one that does not
// resize.
struct Images {
  Value in = F32({1, 4, 5, 2});
  Value size = Vec({6, 7});
  Value paddings = Paddings({0, 0, 1, 1, 1, 2, 0, 0});
  Value filter = F32({2, 2, 2, 3});

  std::vector<Value> Inputs(bool resizes) const {
    if (resizes) return {in, size, paddings, filter};
    return {in, paddings, filter};
  }
};

// Stock's shape function does not take paddings of unknown shape.
void AddPadConvCases(CaseList& c, bool resizes) {
  c.EachType("T", [resizes](CaseList& c, DataType t) {
    for (const char* mode : {"REFLECT", "SYMMETRIC"}) {
      for (const char* padding : {"SAME", "VALID"}) {
        for (const int64_t stride : {1, 2}) {
          const Images images{.in = Rand(t, {1, 5, 6, 3}),
                              .paddings = Paddings({0, 0, 3, 0, 2, 4, 0, 0}),
                              .filter = Rand(t, {3, 2, 3, 4}, -1, 1)};
          c.Ok(images.Inputs(resizes), PadConvAttrs(mode, padding, stride))
              .Tolerance(PadConvTolerance(t))
              .KnownShapes();
        }
      }
    }
    c.Ok(Images{.in = Rand(t, {3, 5, 6, 3}),
                .filter = Rand(t, {2, 2, 3, 4}, -1, 1)}
             .Inputs(resizes),
         Plain())
        .Tolerance(PadConvTolerance(t))
        .KnownShapes()
        .Deviates("stock's kernel takes the first image for all of them");
    const Images none{.in = Rand(t, {1, 4, 5, 2}),
                      .paddings = Paddings({0, 0, 0, 0, 0, 0, 0, 0}),
                      .filter = Rand(t, {1, 1, 2, 3}, -1, 1)};
    c.Ok(none.Inputs(resizes), Plain())
        .Tolerance(PadConvTolerance(t))
        .KnownShapes();
  });
  const auto error = [&](const Images& images, const char* words) {
    c.Error(images.Inputs(resizes), Plain(), kInvalid, words).KnownShapes();
  };
  const auto build_error = [&](const Images& images, const AttrMap& attrs,
                               const char* words) {
    c.BuildError(images.Inputs(resizes), attrs, words);
  };
  c.Ok(Images{.filter = Empty(DataType::kFloat, {0, 2, 2, 3})}.Inputs(resizes),
       Plain())
      .IgnoreOutputs({0})  // stock leaves them as they were allocated
      .KnownShapes();
  AttrMap uneven = Plain();
  uneven.Set("strides", IntList({1, 1, 3, 1}));
  c.Ok(Images{}.Inputs(resizes), uneven).Tolerance(1e-5).KnownShapes();
  error({.in = F32({0, 4, 5, 2})}, "Input tensor can't be empty");
  error({.in = F32({1, 4, 5, 0}), .filter = F32({2, 2, 0, 3})},
        "Input tensor can't be empty");
  error({.filter = F32({2, 2, 2, 0})}, "Output tensor can't be empty");
  error({.filter = F32({2, 2, 4, 3})},
        "input and filter must have the same depth: 2 vs 4");
  error({.filter = F32({19, 2, 2, 3})},
        "Computed output size would be negative");
  error({.paddings = Paddings({0, 0, -1, -1, 0, 0, 0, 0})},
        "paddings must be non-negative: -1 -1");
  error({.paddings = Paddings({0, 0, 9, 9, 0, 0, 0, 0})},
        "paddings must be less than the dimension size: 9, 9 not less than ");
  error({.paddings = Paddings({1, 1, 0, 0, 0, 0, 0, 0})},
        "paddings must be less than the dimension size: 1, 1 not less than 1");
  error(
      {.in = F32({3, 4, 5, 2}), .paddings = Paddings({1, 0, 0, 0, 0, 0, 0, 0})},
      "Fused mirror padding only support spatial padding, not batches: ");
  error({.paddings = Paddings({0, 0, 0, 0, 0, 0, 1, 1}),
         .filter = F32({2, 2, 4, 3})},
        "Fused mirror padding only support spatial padding, not channels: ");
  AttrMap batches = Plain();
  batches.Set("strides", IntList({2, 1, 1, 1}));
  c.Error(Images{}.Inputs(resizes), batches, kInvalid,
          "Current implementation does not yet support strides in the batch "
          "and depth dimensions.")
      .KnownShapes();
  build_error({.in = F32({4, 5, 2})}, Plain(), "must be rank 4 but is rank 3");
  build_error({.filter = F32({2, 2, 3})}, Plain(),
              "must be rank 4 but is rank 3");
  build_error({.paddings = I32({3, 2})}, Plain(),
              "must be rank 3 but is rank 4");
  build_error({.paddings = I32({8})}, Plain(), "must be rank 2 but is rank 1");
  build_error({.paddings = I32({4, 1})}, Plain(),
              "Dimension 1 in both shapes must be equal, but are 1 and 2");
  build_error({.paddings = Paddings({0, 0, -1, 0, 0, 0, 0, 0})}, Plain(),
              "Paddings must be non-negative");
  build_error({.filter = F32({2, 2, 3, 3})}, Plain(),
              "Dimensions must be equal, but are 2 and 3");
  build_error({.filter = F32({19, 2, 2, 3})}, Plain(),
              "Negative dimension size caused by subtracting 19 from ");
  build_error({}, PadConvAttrs("REFLECT", "VALID", 0),
              "Stride must be > 0, but got 0");
  build_error({}, PadConvAttrs("REFLECT", "VALID", int64_t{1} << 31),
              "Attr strides has value 2147483648 out of range for an int32");
  AttrMap three = Plain();
  three.Set("strides", IntList({1, 1, 1}));
  build_error({}, three,
              "Operation requires the stride attribute to contain 4 values, "
              "but got: 3");
}

}  // namespace

MR_CASES(FusedPadConv2D)(CaseList& c) {
  AddPadConvCases(c, false);
  c.Error(Images{.paddings = Paddings({0, 0, 4, 8, 0, 0, 0, 0})}.Inputs(false),
          PadConvAttrs("SYMMETRIC", "VALID", 1), kInvalid,
          "paddings must be no greater than the dimension size: 4, 8 greater "
          "than 4")
      .KnownShapes();
}
MR_CASES(FusedResizeAndPadConv2D)(CaseList& c) {
  AddPadConvCases(c, true);
  for (const bool align : {false, true}) {
    AttrMap attrs = Plain();
    attrs.Set("resize_align_corners", align);
    c.Ok(Images{.in = F32({1, 9, 3, 2}), .size = Vec({4, 11})}.Inputs(true),
         attrs)
        .Tolerance(1e-5)
        .KnownShapes();
  }
  for (const double height : {0, -1}) {
    c.Error(Images{.size = Vec({height, 7})}.Inputs(true), Plain(), kInvalid,
            "output dimensions must be positive")
        .KnownShapes();
  }
  c.BuildError(Images{.size = Vec({6, 7, 8})}.Inputs(true), Plain(),
               "Dimension 0 in both shapes must be equal, but are 3 and 2");
  c.BuildError(Images{.size = Scalar(6)}.Inputs(true), Plain(),
               "Shapes must be equal rank, but are 0 and 1");
}

}  // namespace millrace::cases

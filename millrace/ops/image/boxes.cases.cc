#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr StatusCode kInvalid = StatusCode::kInvalidArgument;
constexpr DataType kF32 = DataType::kFloat;

// Inside, over the edges, turned around, outside, a point, all of it.
Value Outlines() {
  return Of(kF32, {2, 4, 4},
            {0.1, 0.2, 0.7,  0.8, -0.5, 0.3, 0.5, 1.5, 0.9, 0.1, 0.2,
             0.3, 1.5, 0,    2,   1,    0.5, 0.5, 0.5, 0.5, 0,   0,
             1,   1,   0.25, -1,  3,    0.5, -2,  -2,  -1,  -1});
}

void DrawErrors(CaseList& c, bool colors) {
  const auto error = [&](Value images, Value boxes, const char* words) {
    std::vector<Value> in = {std::move(images), std::move(boxes)};
    if (colors) in.push_back(F32({2, 4}));
    c.Error(std::move(in), kInvalid, words).NoShapeCheck();
  };
  error(F32({3, 3, 3}), F32({1, 2, 4}), "The rank of the images should be 4");
  error(F32({1, 3, 3, 3}), F32({2, 4}),
        "The rank of the boxes tensor should be 3");
  error(F32({1, 3, 3, 3}), F32({2, 1, 4}),
        "The batch sizes should be the same");
  error(F32({1, 3, 3, 2}), F32({1, 1, 4}), "Channel depth should be either 1");
  error(F32({1, 3, 3, 3}), F32({1, 1, 5}),
        "The size of the third dimension of the box must be 4. Received: 5");
}

}  // namespace

MR_CASES(DrawBoundingBoxes)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const int depth : {1, 3, 4}) {
      c.Ok({Rand(t, {2, 9, 11, depth}), Outlines()});
    }
    c.Ok({Rand(t, {1, 30, 30, 3}), Rand(kF32, {1, 25, 4}, -0.3, 1.3)});
    c.Ok({Rand(t, {2, 1, 1, 1}), Outlines()});
    c.Ok({Rand(t, {1, 4, 4, 1}), Empty(kF32, {1, 0, 4})});
    c.Ok({Empty(t, {0, 4, 4, 1}), Empty(kF32, {0, 2, 4})});
  });
  DrawErrors(c, false);
}
MR_CASES(DrawBoundingBoxesV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 9, 11, 3}), Outlines(), Rand(kF32, {2, 4}, 0, 1)});
    c.Ok({Rand(t, {2, 9, 11, 1}), Outlines(), Rand(kF32, {3, 1}, 0, 1)});
    c.Ok({Rand(t, {2, 9, 11, 4}), Outlines(), Empty(kF32, {0, 4})});
  });
  DrawErrors(c, true);
  c.Error({F32({1, 3, 3, 3}), F32({1, 1, 4}), F32({4})}, kInvalid,
          "colors must be a 2-D matrix");
  c.Error({F32({1, 3, 3, 3}), F32({1, 1, 4}), F32({1, 2})}, kInvalid,
          "colors must have equal or more channels than the image provided");
}

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
        c.Ok({F32({6, 7, 8, 2}), size, Rand(kF32, {6, 2}, -reach, reach)},
             zero);
      }
      c.Ok({F32({1, 7, 8, 1}), Vec({7, 8}), Full(kF32, {1, 2}, 0)}, zero);
    }
  }
  const AttrMap inside = {{"centered", false}, {"normalized", false}};
  c.Ok({F32({2, 9, 8, 1}), Vec({2, 3}), Full(kF32, {2, 2}, 3)}, inside)
      .Random();
  c.Ok({F32({2, 5, 5, 2}), Vec({9, 9}), F32({2, 2})}).Random();
  c.Ok({F32({2, 5, 5, 2}), Vec({9, 9}), F32({2, 2})},
       {{"uniform_noise", false}, {"noise", "gaussian"}})
      .Random();
  c.Ok({F32({2, 5, 5, 2}), Vec({9, 9}), F32({2, 2})},
       {{"uniform_noise", false}, {"noise", ""}})
      .Random();
  c.Ok({F32({2, 5, 5, 2}), Vec({0, 9}), F32({2, 2})});
  c.Ok({Empty(kF32, {0, 5, 5, 2}), Vec({2, 9}), Empty(kF32, {0, 2})});
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

namespace {

// The same, moved, turned and made larger, seen from the side.
Value Transforms() {
  return Of(kF32, {4, 8},
            {1, 0, 0,    0,    1,  0,     0,    0,  1,        0,       -2.5,
             0, 1, 3.25, 0,    0,  0.75,  -0.5, 2,  0.5,      0.75,    -1,
             0, 0, 1.25, 0.25, -1, 0.125, 2,    -3, 0.015625, -0.03125});
}

void Project(CaseList& c, bool with_value) {
  const auto inputs = [with_value](Value images, Value transforms, Value size) {
    std::vector<Value> in = {std::move(images), std::move(transforms),
                             std::move(size)};
    if (with_value) in.push_back(Scalar(kF32, 3));
    return in;
  };
  for (const char* mode : {"CONSTANT", "REFLECT", "WRAP", "NEAREST"}) {
    for (const char* interpolation : {"NEAREST", "BILINEAR"}) {
      const AttrMap attrs = {{"fill_mode", mode},
                             {"interpolation", interpolation}};
      c.EachType("dtype", [&](CaseList& c, DataType t) {
        const double near = t == DataType::kHalf       ? 4e-3
                            : t == DataType::kBfloat16 ? 3e-2
                                                       : 1e-5;
        c.Ok(inputs(Rand(t, {4, 5, 6, 2}), Transforms(), Vec({7, 9})), attrs)
            .Tolerance(IsFloating(t) ? near : 0);
      });
      c.Ok(inputs(F32({2, 1, 3, 1}),
                  Of(kF32, {1, 8}, {2, 1, -7, 1, 3, -4, 0, 0}), Vec({6, 6})),
           attrs)
          .Tolerance(1e-5);
    }
  }
  c.Ok(inputs(F32({1, 3, 3, 1}), Of(kF32, {1, 8}, {1, 0, 0, 0, 1, 0, -0.5, 0}),
              Vec({4, 4})),
       {{"interpolation", "BILINEAR"}});
  const AttrMap nearest = {{"interpolation", "NEAREST"}};
  // Of whole pixels, or turned by a quarter: no two places read the same one,
  // so that the inverse is the gradient.
  c.Ok(inputs(F32({2, 4, 5, 2}),
              Of(kF32, {2, 8},
                 {1, 0, 1, 0, 1, -2, 0, 0, 0, 1, -1, -1, 0, 3, 0, 0}),
              Vec({5, 6})),
       nearest)
      .Gradient({0});
  const auto error = [&](std::vector<Value> in, const char* words) {
    c.Error(std::move(in), nearest, kInvalid, words).NoShapeCheck();
  };
  error(inputs(F32({3, 3, 1}), F32({1, 8}), Vec({4, 4})),
        "Input images must have rank 4");
  error(inputs(F32({2, 3, 3, 1}), F32({3, 8}), Vec({4, 4})),
        "Input transform should be num_images x 8 or 1 x 8");
  error(inputs(F32({2, 3, 3, 1}), F32({1, 8}), Vec({4})),
        "output shape must have two elements");
  error(inputs(F32({2, 3, 3, 1}), F32({1, 8}), Vec({4, 0})),
        "output dimensions must be positive");
}

}  // namespace

MR_CASES(ImageProjectiveTransformV2)(CaseList& c) { Project(c, false); }
MR_CASES(ImageProjectiveTransformV3)(CaseList& c) { Project(c, true); }

namespace {

// Inputs as far as the op has them.
std::vector<Value> Sample(CaseList& c, Value size, Value boxes,
                          double covered = 0.3) {
  std::vector<Value> in = {std::move(size), std::move(boxes)};
  if (c.op().inputs.size() > 2) in.push_back(Scalar(kF32, covered));
  if (c.op().inputs.size() > 3) in.push_back(Vec({17, 4}));
  return in;
}

void SampleBoxes(CaseList& c) {
  const bool seeded = c.op().inputs.size() < 4;
  const auto with = [seeded](AttrMap attrs) {
    if (seeded) {
      attrs.Set("seed", 7);
      attrs.Set("seed2", 3);
    }
    return attrs;
  };
  const Value boxes =
      Of(kF32, {1, 2, 4}, {0.1, 0.2, 0.5, 0.75, 0.5, 0.5, 0.9, 1});
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok(Sample(c, Vec(t, {100, 90, 3}), boxes), with({}));
    c.Ok(Sample(c, Vec(t, {20, 120, 3}), boxes),
         with({{"area_range", FloatList{0.5f, 0.75f}},
               {"aspect_ratio_range", FloatList{0.5f, 3.0f}}}));
  });
  for (int i = 0; i < 6; ++i) {
    c.Ok(Sample(c, Vec({600, 400.0 + i, 3}), Rand(kF32, {1, 3, 4}, 0, 1), 0.05),
         with({{"area_range",
                FloatList{0.01f, 0.19f * static_cast<float>(i) + 0.02f}}}));
  }
  // Nothing fits: the whole picture.
  c.Ok(Sample(c, Vec({5, 5, 3}), boxes, 2), with({{"max_attempts", 3}}));
  c.Ok(Sample(c, Vec({50, 60, 3}), Empty(kF32, {1, 0, 4})),
       with({{"use_image_if_no_bounding_boxes", true}}));
  const auto error = [&](std::vector<Value> in, AttrMap attrs,
                         const char* words) {
    c.Error(std::move(in), with(std::move(attrs)), kInvalid, words)
        .NoShapeCheck();
  };
  const Value size = Vec({50, 60, 3});
  error(Sample(c, size, Empty(kF32, {1, 0, 4})), {},
        "No bounding boxes provided as input.");
  error(Sample(c, size, Full(kF32, {1, 1, 4}, 1.5)), {},
        "All bounding box coordinates must be in [0.0, 1.0]: 1.5");
  error(Sample(c, Vec({-1, 60, 3}), boxes), {},
        "image height cannot be >= int32 max");
  error(Sample(c, Vec({60, 3}), boxes), {},
        "image_size must contain 3 elements");
  error(Sample(c, size, F32({2, 4})), {}, "input boxes must be 3-dimensional");
  error(Sample(c, size, boxes), {{"max_attempts", 0}},
        "Max attempts must be non-negative: 0");
  error(Sample(c, size, boxes), {{"area_range", FloatList{0.1f, 1.5f}}},
        "Area range must be less then or equal to 1.0");
  error(Sample(c, size, boxes), {{"aspect_ratio_range", FloatList{0, 1}}},
        "Aspect ratio range must be non-negative");
  if (c.op().inputs.size() > 2) {
    error(Sample(c, size, boxes, -1), {},
          "Min object covered must be non-negative: -1");
  } else {
    error(Sample(c, size, boxes), {{"min_object_covered", -1.0f}},
          "Min object covered must be non-negative: -1");
  }
}

}  // namespace

MR_CASES(SampleDistortedBoundingBox)(CaseList& c) { SampleBoxes(c); }
MR_CASES(SampleDistortedBoundingBoxV2)(CaseList& c) { SampleBoxes(c); }
MR_CASES(StatelessSampleDistortedBoundingBox)(CaseList& c) {
  SampleBoxes(c);
  c.EachType("Tseed", [](CaseList& c, DataType t) {
    c.Ok({Vec({100, 90, 3}), Full(kF32, {1, 1, 4}, 0.5), Scalar(kF32, 0),
          Vec(t, {5, -7})});
  });
}

}  // namespace millrace::cases

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// Returns the inputs as far as the op has them.
std::vector<Value> Sample(CaseList& c, Value size, Value boxes,
                          double covered = 0.3) {
  std::vector<Value> in = {std::move(size), std::move(boxes)};
  if (c.op().inputs.size() > 2) in.push_back(Scalar(kFloat, covered));
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
      Of(kFloat, {1, 2, 4}, {0.1, 0.2, 0.5, 0.75, 0.5, 0.5, 0.9, 1});
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok(Sample(c, Vec(t, {100, 90, 3}), boxes), with({}));
    c.Ok(Sample(c, Vec(t, {20, 120, 3}), boxes),
         with({{"area_range", FloatList{0.5f, 0.75f}},
               {"aspect_ratio_range", FloatList{0.5f, 3.0f}}}));
  });
  for (int i = 0; i < 6; ++i) {
    c.Ok(Sample(c, Vec({600, 400.0 + i, 3}), Rand(kFloat, {1, 3, 4}, 0, 1),
                0.05),
         with({{"area_range",
                FloatList{0.01f, 0.19f * static_cast<float>(i) + 0.02f}}}));
  }
  // If no window fits, the result is the whole image.
  c.Ok(Sample(c, Vec({5, 5, 3}), boxes, 2), with({{"max_attempts", 3}}));
  c.Ok(Sample(c, Vec({50, 60, 3}), Empty(kFloat, {1, 0, 4})),
       with({{"use_image_if_no_bounding_boxes", true}}));
  const auto error = [&](std::vector<Value> in, AttrMap attrs,
                         const char* words) {
    c.Error(std::move(in), with(std::move(attrs)), kInvalid, words)
        .NoShapeCheck();
  };
  const Value size = Vec({50, 60, 3});
  error(Sample(c, size, Empty(kFloat, {1, 0, 4})), {},
        "No bounding boxes provided as input.");
  error(Sample(c, size, Full(kFloat, {1, 1, 4}, 1.5)), {},
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
    c.Ok({Vec({100, 90, 3}), Full(kFloat, {1, 1, 4}, 0.5), Scalar(kFloat, 0),
          Vec(t, {5, -7})});
  });
}

}  // namespace millrace::cases

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// Returns transforms that keep an image, translate it, rotate and enlarge it,
// and project it from the side.
Value Transforms() {
  return Of(kFloat, {4, 8},
            {1, 0, 0,    0,    1,  0,     0,    0,  1,        0,       -2.5,
             0, 1, 3.25, 0,    0,  0.75,  -0.5, 2,  0.5,      0.75,    -1,
             0, 0, 1.25, 0.25, -1, 0.125, 2,    -3, 0.015625, -0.03125});
}

void Project(CaseList& c) {
  const bool with_value = c.op().inputs.size() > 3;
  const auto inputs = [with_value](Value images, Value transforms, Value size) {
    std::vector<Value> in = {std::move(images), std::move(transforms),
                             std::move(size)};
    if (with_value) in.push_back(Scalar(kFloat, 3));
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
                  Of(kFloat, {1, 8}, {2, 1, -7, 1, 3, -4, 0, 0}), Vec({6, 6})),
           attrs)
          .Tolerance(1e-5);
    }
  }
  c.Ok(inputs(F32({1, 3, 3, 1}),
              Of(kFloat, {1, 8}, {1, 0, 0, 0, 1, 0, -0.5, 0}), Vec({4, 4})),
       {{"interpolation", "BILINEAR"}});
  const AttrMap nearest = {{"interpolation", "NEAREST"}};
  // These move by whole pixels or rotate by a quarter: no two pixels read the
  // same one, so that the inverse is the gradient.
  c.Ok(inputs(F32({2, 4, 5, 2}),
              Of(kFloat, {2, 8},
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

MR_CASES(ImageProjectiveTransformV2)(CaseList& c) { Project(c); }
MR_CASES(ImageProjectiveTransformV3)(CaseList& c) { Project(c); }

}  // namespace millrace::cases

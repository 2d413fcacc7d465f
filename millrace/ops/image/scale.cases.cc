#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr const char* kKernelTypes[] = {"lanczos1",  "lanczos3",     "lanczos5",
                                        "gaussian",  "box",          "triangle",
                                        "keyscubic", "mitchellcubic"};

Value Two(double y, double x) { return Vec(kFloat, {y, x}); }

}  // namespace

MR_CASES(ScaleAndTranslate)(CaseList& c) {
  for (const char* kernel : kKernelTypes) {
    for (const bool antialias : {false, true}) {
      const AttrMap attrs = {{"kernel_type", kernel}, {"antialias", antialias}};
      c.Ok({F32({2, 9, 11, 3}), Vec({4, 5}), Two(0.45, 0.4), Two(0, 0)}, attrs)
          .Tolerance(1e-5);
      c.Ok({F32({1, 5, 4, 1}), Vec({13, 9}), Two(2.5, 2.25), Two(-1.5, 3)},
           attrs)
          .Tolerance(1e-5);
    }
  }
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {1, 6, 5, 2}), Vec({3, 8}), Two(0.5, 1.6), Two(0.25, 0)})
        .Tolerance(t == DataType::kBfloat16 ? 2e-2 : 1e-4);
  });
  c.Ok({F32({1, 4, 5, 2}), Vec({3, 7}), Two(0.75, 1.5), Two(0.5, -0.5)})
      .Gradient({0})
      .GradientTolerance(2e-2);
  c.Ok({F32({1, 3, 3, 1}), Vec({4, 4}), Two(1, 1), Two(100, -100)});
  c.Ok({Empty(kFloat, {0, 3, 3, 1}), Vec({4, 4}), Two(1, 1), Two(0, 0)});
  const auto error = [&c](std::vector<Value> in, const char* words) {
    c.Error(std::move(in), kInvalid, words).NoShapeCheck();
  };
  error({F32({3, 3, 1}), Vec({4, 4}), Two(1, 1), Two(0, 0)},
        "input must be 4-dimensional");
  error({F32({1, 3, 3, 1}), Vec({4, 0}), Two(1, 1), Two(0, 0)},
        "output dimensions must be positive");
  error({F32({1, 3, 3, 1}), Vec({4, 4}), Two(0, 1), Two(0, 0)},
        "Scale must be greater than zero.");
  error({F32({1, 3, 3, 1}), Vec({4, 4}), Vec(kFloat, {1}), Two(0, 0)},
        "t must have two elements");
  error({F32({1, 0, 3, 1}), Vec({4, 4}), Two(1, 1), Two(0, 0)},
        "input image must be of non-zero size");
  c.Error({F32({1, 3, 3, 1}), Vec({4, 4}), Two(1, 1), Two(0, 0)},
          {{"kernel_type", "lanczos2"}}, kInvalid,
          "Unrecognized kernel type: lanczos2");
}

MR_CASES(ScaleAndTranslateGrad)(CaseList& c) {
  for (const char* kernel : kKernelTypes) {
    for (const bool antialias : {false, true}) {
      const AttrMap attrs = {{"kernel_type", kernel}, {"antialias", antialias}};
      c.Ok({F32({2, 4, 5, 3}), F32({2, 9, 11, 3}), Two(0.45, 0.4), Two(0, 0)},
           attrs)
          .Tolerance(1e-5);
      c.Ok({F32({1, 13, 9, 1}), F32({1, 5, 4, 1}), Two(2.5, 2.25),
            Two(-1.5, 3)},
           attrs)
          .Tolerance(1e-5);
    }
  }
}

}  // namespace millrace::cases

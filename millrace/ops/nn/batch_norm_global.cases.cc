#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(BatchNormWithGlobalNormalization)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const bool scale : {false, true}) {
      c.Ok({Rand(t, {2, 3, 4, 5}), Rand(t, {5}), Rand(t, {5}, 0.5, 2),
            Rand(t, {5}), Rand(t, {5})},
           {{"variance_epsilon", 0.01f}, {"scale_after_normalization", scale}})
          .Tolerance(t == DataType::kHalf ? 2e-2 : 1e-5);
    }
  });
  // There are no gradients: graphs of the current version refuse the op.
}

MR_CASES(BatchNormWithGlobalNormalizationGrad)(CaseList& c) {
  const auto attrs = [](bool scale) -> AttrMap {
    return {{"variance_epsilon", 0.01f}, {"scale_after_normalization", scale}};
  };
  c.EachType("T", [&](CaseList& c, DataType t) {
    for (const bool scale : {false, true}) {
      // Stock adds up halves as halves.
      c.Ok({Rand(t, {2, 3, 4, 5}), Rand(t, {5}), Rand(t, {5}, 0.5, 2),
            Rand(t, {5}), Rand(t, {2, 3, 4, 5})},
           attrs(scale))
          .Tolerance(t == DataType::kHalf ? 5e-2 : 1e-5);
      c.Ok({Rand(t, {1, 1, 1, 2}), Rand(t, {2}), Rand(t, {2}, 0.5, 2),
            Rand(t, {2}), Rand(t, {1, 1, 1, 2})},
           attrs(scale))
          .Tolerance(t == DataType::kHalf ? 2e-2 : 1e-5);
      c.Ok({Rand(t, {0, 3, 4, 5}), Rand(t, {5}), Rand(t, {5}, 0.5, 2),
            Rand(t, {5}), Rand(t, {0, 3, 4, 5})},
           attrs(scale));
    }
  });
  const DataType f = DataType::kFloat;
  c.Ok({F32({7, 30, 40, 9}), F32({9}), Rand(f, {9}, 0.5, 2), F32({9}),
        F32({7, 30, 40, 9})},
       attrs(true))
      .Tolerance(1e-3, 1e-2);
  const Value images = F32({1, 2, 2, 3}), vector = F32({3}), scalar = F32({});
  const auto kInvalid = StatusCode::kInvalidArgument;
  c.Error({F32({2, 3}), vector, vector, vector, images}, attrs(true), kInvalid,
          "input must be 4-dimensional[2,3]");
  c.Error({images, scalar, vector, vector, images}, attrs(true), kInvalid,
          "mean must be 1-dimensional[]");
  c.Error({images, vector, scalar, vector, images}, attrs(true), kInvalid,
          "var must be 1-dimensional[]");
  c.Error({images, vector, vector, scalar, images}, attrs(true), kInvalid,
          "gamma must be 1-dimensional[]");
  c.Error({images, vector, vector, vector, F32({3})}, attrs(true), kInvalid,
          "out_backprop must be 4-dimensional[3]");
  c.Error({images, F32({4}), vector, vector, images}, attrs(true), kInvalid,
          "mean must have 3 elements, but has 4")
      .NoStock("stock reads or writes beyond the vectors");
  c.Error({images, vector, vector, vector, F32({1, 2, 2, 4})}, attrs(true),
          kInvalid, "out_backprop must have the shape of the input")
      .NoStock("stock reads beyond the tensors");
  c.BuildError({images, vector, vector, vector, F32({1, 2, 2, 4})}, attrs(true),
               "Dimension 3 in both shapes must be equal, but are 3 and 4");
  c.BuildError({images, vector, F32({4}), vector, images}, attrs(true),
               "Dimensions must be equal, but are 3 and 4");
}

}  // namespace millrace::cases

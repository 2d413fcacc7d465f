#include "tests/cases/case.h"

namespace millrace::cases {
MR_CASES(RandomCrop)(CaseList& c) {
  const AttrMap seeds = {{"seed", 1}, {"seed2", 2}};
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Sequence("places")
        .Node("op", "RandomCrop", {Iota(t, {5, 4, 2}), Vec(kInt64, {3, 1})},
              seeds)
        .Run({"op"})
        .Run({"op"})
        .Run({"op"});
  });
  for (const auto& [height, width] :
       {std::pair(5, 4), std::pair(5, 2), std::pair(2, 4), std::pair(0, 2),
        std::pair(0, 0)}) {
    c.Ok({F32({5, 4, 2}), Vec(kInt64, {double(height), double(width)})}, seeds);
  }
  c.Ok({Empty(DataType::kFloat, {3, 3, 0}), Vec(kInt64, {2, 2})}, seeds);
  const auto fails = [&](Value image, Value size, StatusCode code,
                         const char* words) {
    c.Error({std::move(image), std::move(size)}, seeds, code, words)
        .NoShapeCheck();
  };
  fails(F32({5, 4, 2}), Vec(kInt64, {6, 4}), StatusCode::kFailedPrecondition,
        "height must be >= target_height: height = 5, target_height = 6");
  fails(F32({5, 4, 2}), Vec(kInt64, {5, 9}), StatusCode::kFailedPrecondition,
        "width must be >= target_width: width = 4, target_width = 9");
  const StatusCode invalid = StatusCode::kInvalidArgument;
  fails(F32({5, 4}), Vec(kInt64, {2, 2}), invalid,
        "input must be 3-dimensional[5,4]");
  fails(F32({5, 4, 2}), Vec(kInt64, {2, 2, 2}), invalid,
        "shape_t must have two elements[3]");
  fails(F32({5, 4, 2}), Scalar(kInt64, 2), invalid,
        "shape_t must be 1-dimensional[]");
  c.Error({F32({5, 4, 2}), Vec(kInt64, {-2, 2})}, seeds, invalid,
          "target_height must be >= 0")
      .NoShapeCheck()
      .NoStock("stock aborts at negative sizes");
  c.BuildError({F32({5, 4}), Vec(kInt64, {2, 2})}, seeds,
               "Shape must be rank 3 but is rank 2");
}

}  // namespace millrace::cases

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

Value CropBoxes() {
  return Of(DataType::kFloat, {3, 4},
            {0.1, 0.2, 0.8, 0.9, 0, 0, 1, 1, 0.9, 0.1, -0.2, 1.3});
}

}  // namespace

MR_CASES(CropAndResize)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const char* method : {"bilinear", "nearest"}) {
      c.Ok({Rand(t, {2, 5, 6, 3}), CropBoxes(), Vec({1, 0, 1}), Vec({3, 4})},
           {{"method", method}, {"extrapolation_value", 0.5f}})
          .Tolerance(1e-4);
    }
  });
  c.Ok({F32({2, 5, 6, 3}), CropBoxes(), Vec({1, 0, 1}), Vec({1, 1})})
      .Tolerance(1e-4);
  // Boxes have a gradient whatever the images' type.
  for (const DataType t : {DataType::kFloat, DataType::kUint8}) {
    c.Ok({Rand(t, {1, 5, 6, 2}),
          Of(DataType::kFloat, {1, 4}, {0.1, 0.3, 0.6, 0.7}), Vec({0}),
          Vec({2, 2})})
        .Tolerance(1e-4)
        .Gradient()
        .GradientTolerance(2e-2);
  }
  c.Error({F32({2, 5, 6, 3}), CropBoxes(), Vec({1, 0, 2}), Vec({1, 1})},
          StatusCode::kOutOfRange, "box_index has values outside");
  // Whether the last row is inside depends on rounding.
  for (const double y1 : {0.05, 0.13, 0.2, 0.37}) {
    for (const double crop : {7, 14}) {
      c.Ok({F32({1, 100, 4, 1}), Of(DataType::kFloat, {1, 4}, {y1, 0, 1, 1}),
            Vec({0}), Vec({crop, 2})},
           {{"extrapolation_value", -7.0f}})
          .Tolerance(1e-4);
    }
  }
  c.Ok({F32({1, 10, 4, 1}), Of(DataType::kFloat, {1, 4}, {0.03, 0, 1, 1}),
        Vec({0}), Vec({3, 2})},
       {{"extrapolation_value", -7.0f}})
      .Tolerance(1e-4);
  // A side with more pixels than a float can count.
  c.Ok({Full(DataType::kUint8, {1, 1, 16777220, 1}, 1),
        Of(DataType::kFloat, {1, 4}, {0, 1, 0, 1}), Vec({0}), Vec({1, 1})})
      .NoStock("reads past the end");
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    c.Error({F32({1, 5, 6, 3}), Of(DataType::kFloat, {1, 4}, {0, 0, bad, 1}),
             Vec({0}), Vec({2, 2})},
            StatusCode::kInvalidArgument,
            "Boxes contains at least one element that is not finite");
  }
}
MR_CASES(CropAndResizeGradImage)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const char* method : {"bilinear", "nearest"}) {
      c.Ok({F32({3, 3, 4, 2}), CropBoxes(), Vec({1, 0, 1}), Vec({2, 5, 6, 2})},
           {{"method", method}, {"T", t}})
          .Tolerance(t == DataType::kHalf ? 1e-2 : 1e-4);
    }
  });
  // Crops that are larger than the image, of one pixel, and of a line.
  const Value lines = Of(DataType::kFloat, {3, 4},
                         {0.9, 0.4, 0.1, 0.4, 0.2, 0, 0.2, 1, -1, -2, 2, 3});
  for (const char* method : {"bilinear", "nearest"}) {
    for (const int64_t size : {1, 2, 11}) {
      c.Ok({F32({3, size, 9, 2}), lines, Vec({1, 1, 1}), Vec({2, 5, 6, 2})},
           {{"method", method}, {"T", DataType::kFloat}})
          .Tolerance(1e-4);
    }
  }
  c.Error({F32({3, 3, 4, 2}), CropBoxes(), Vec({1, 2, 1}), Vec({2, 5, 6, 2})},
          {{"T", DataType::kFloat}}, StatusCode::kOutOfRange,
          "box_index has values outside");
}
MR_CASES(CropAndResizeGradBoxes)(CaseList& c) {
  c.Error({F32({3, 3, 4, 2}), F32({2, 5, 6, 2}), CropBoxes(), Vec({1, -1, 1})},
          StatusCode::kOutOfRange, "box_index has values outside");
  c.Ok({F32({3, 1, 40, 3}), F32({2, 5, 6, 3}), CropBoxes(), Vec({1, 0, 1})})
      .Tolerance(1e-4);
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({F32({3, 3, 4, 2}), Rand(t, {2, 5, 6, 2}), CropBoxes(),
          Vec({1, 0, 1})})
        .Tolerance(1e-4);
  });
}

}  // namespace millrace::cases

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

void Resizes(CaseList& c) {
  std::vector<AttrMap> options = {{}, {{"align_corners", true}}};
  if (c.op().FindAttr("half_pixel_centers") != nullptr) {
    options.push_back({{"half_pixel_centers", true}});
  }
  for (const AttrMap& attrs : options) {
    c.Ok({F32({2, 5, 7, 3}), Vec({9, 4})}, attrs);
    c.Ok({F32({1, 4, 3, 2}), Vec({2, 8})}, attrs);
    c.Ok({F32({1, 1, 1, 2}), Vec({3, 1})}, attrs);
    // Channels fill vectors, or do not; images grow, shrink, or both.
    for (const int64_t channels : {1, 4, 5, 16, 21}) {
      for (const auto& [height, width] :
           {std::pair(12, 14), {3, 2}, {20, 3}, {2, 30}}) {
        c.Ok({F32({2, 6, 7, channels}), Vec({double(height), double(width)})},
             attrs);
      }
    }
  }
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 5, 4, 3}), Vec({7, 3})})
        .Tolerance(t == DataType::kBfloat16 ? 2e-2 : 1e-4);
    c.Ok({Rand(t, {2, 9, 9, 2}), Vec({4, 5})})
        .Tolerance(t == DataType::kBfloat16 ? 2e-2 : 1e-4);
  });
  c.Ok({Empty(DataType::kFloat, {0, 5, 7, 3}), Vec({9, 4})});
  c.Error({F32({1, 4, 3, 2}), Vec({0, 8})}, StatusCode::kInvalidArgument,
          "output dimensions must be positive");
}

}  // namespace

MR_CASES(ResizeBilinear)(CaseList& c) {
  Resizes(c);
  c.Ok({F32({1, 4, 3, 2}), Vec({6, 2})}).Gradient({0}).GradientTolerance(2e-2);
}
MR_CASES(ResizeBicubic)(CaseList& c) {
  Resizes(c);
  c.Ok({F32({1, 4, 3, 2}), Vec({6, 2})}).Gradient({0}).GradientTolerance(2e-2);
}
MR_CASES(ResizeNearestNeighbor)(CaseList& c) {
  Resizes(c);
  c.Ok({F64({1, 4, 3, 2}), Vec({6, 2})}).Gradient({0});
}
MR_CASES(ResizeArea)(CaseList& c) { Resizes(c); }
MR_CASES(ResizeBilinearGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const AttrMap& attrs : {AttrMap(), AttrMap{{"align_corners", true}},
                                 AttrMap{{"half_pixel_centers", true}}}) {
      c.Ok({F32({2, 7, 3, 2}), Rand(t, {2, 5, 4, 2})}, attrs)
          .Tolerance(t == DataType::kFloat || t == DataType::kDouble ? 1e-5
                                                                     : 4e-2);
      c.Ok({F32({2, 9, 10, 3}), Rand(t, {2, 4, 5, 3})}, attrs)
          .Tolerance(t == DataType::kFloat || t == DataType::kDouble ? 1e-5
                                                                     : 4e-2);
    }
  });
}
MR_CASES(ResizeBicubicGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const AttrMap& attrs : {AttrMap(), AttrMap{{"align_corners", true}},
                                 AttrMap{{"half_pixel_centers", true}}}) {
      c.Ok({F32({2, 7, 3, 2}), Rand(t, {2, 5, 4, 2})}, attrs).Tolerance(1e-5);
      c.Ok({F32({2, 9, 10, 3}), Rand(t, {2, 4, 5, 3})}, attrs)
          .Tolerance(t == DataType::kFloat || t == DataType::kDouble ? 1e-5
                                                                     : 4e-2);
    }
  });
}
MR_CASES(ResizeNearestNeighborGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const AttrMap& attrs : {AttrMap(), AttrMap{{"align_corners", true}},
                                 AttrMap{{"half_pixel_centers", true}}}) {
      c.Ok({Rand(t, {2, 7, 3, 2}), Vec({5, 4})}, attrs)
          .Tolerance(t == DataType::kHalf || t == DataType::kBfloat16 ? 4e-2
                                                                      : 1e-5);
    }
  });
}

}  // namespace millrace::cases

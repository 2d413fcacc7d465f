#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// Returns boxes inside of an image, over its edges, reversed and outside, a
// point, and one of all of the image.
Value Outlines() {
  return Of(kFloat, {2, 4, 4},
            {0.1, 0.2, 0.7,  0.8, -0.5, 0.3, 0.5, 1.5, 0.9, 0.1, 0.2,
             0.3, 1.5, 0,    2,   1,    0.5, 0.5, 0.5, 0.5, 0,   0,
             1,   1,   0.25, -1,  3,    0.5, -2,  -2,  -1,  -1});
}

void DrawErrors(CaseList& c) {
  const bool colors = c.op().inputs.size() > 2;
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
    c.Ok({Rand(t, {1, 30, 30, 3}), Rand(kFloat, {1, 25, 4}, -0.3, 1.3)});
    c.Ok({Rand(t, {2, 1, 1, 1}), Outlines()});
    c.Ok({Rand(t, {1, 4, 4, 1}), Empty(kFloat, {1, 0, 4})});
    c.Ok({Empty(t, {0, 4, 4, 1}), Empty(kFloat, {0, 2, 4})});
  });
  DrawErrors(c);
}
MR_CASES(DrawBoundingBoxesV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 9, 11, 3}), Outlines(), Rand(kFloat, {2, 4}, 0, 1)});
    c.Ok({Rand(t, {2, 9, 11, 1}), Outlines(), Rand(kFloat, {3, 1}, 0, 1)});
    c.Ok({Rand(t, {2, 9, 11, 4}), Outlines(), Empty(kFloat, {0, 4})});
  });
  DrawErrors(c);
  c.Error({F32({1, 3, 3, 3}), F32({1, 1, 4}), F32({4})}, kInvalid,
          "colors must be a 2-D matrix");
  c.Error({F32({1, 3, 3, 3}), F32({1, 1, 4}), F32({1, 2})}, kInvalid,
          "colors must have equal or more channels than the image provided");
}

}  // namespace millrace::cases

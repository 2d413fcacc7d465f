#include "tests/cases/case.h"

namespace millrace::cases {
MR_CASES(ImageSummary)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const int depth : {1, 3, 4}) {
      c.Ok({StrScalar("image"), Rand(t, {2, 5, 7, depth}, 0, 100)});
      c.Ok({StrScalar("image"), Rand(t, {1, 3, 2, depth}, -3, 2)},
           {{"max_images", 1}});
    }
    c.Ok({StrScalar("image"), Full(t, {5, 2, 2, 1}, 0)});
    if (t == DataType::kUint8) return;
    c.Ok({StrScalar("bad"), Of(t, {1, 2, 2, 1}, {1, NAN, INFINITY, 0.5})});
    c.Ok({StrScalar("bad"), Of(t, {1, 1, 2, 3}, {1, NAN, 2, -1, 3, 0.5})},
         {{"bad_color", Tensor::Vector<uint8_t>({9, 8, 7})}});
    c.Ok({StrScalar("bad"), Of(t, {1, 1, 2, 1}, {NAN, INFINITY})});
  });
  c.Ok({StrScalar(""), Empty(kFloat, {0, 2, 2, 1})});
  c.Error({Str({"a"}), F32({1, 2, 2, 1})}, kInvalid, "Tags must be a scalar");
  c.Error({StrScalar("a"), F32({1, 2, 2, 2})}, kInvalid,
          "Tensor must be 4-D with last dim 1, 3, or 4, not [1,2,2,2]");
  c.Error({StrScalar("a"), Empty(kFloat, {1, 0, 2, 1})}, kInvalid,
          "input tensor must have non-zero dims. Found: [1, 0, 2, 1].");
  c.Error({StrScalar("a"), F32({1, 2, 2, 3})},
          {{"bad_color", Tensor::Vector<uint8_t>({9, 8})}}, kInvalid,
          "expected depth <= bad_color.size, got depth = 3, bad_color.size = "
          "2");
  c.Error({StrScalar("a"), F32({1, 2, 2, 3})},
          {{"bad_color", Tensor::Vector<int32_t>({9, 8, 7})}}, kInvalid,
          "bad_color must be uint8, got int32");
}

}  // namespace millrace::cases

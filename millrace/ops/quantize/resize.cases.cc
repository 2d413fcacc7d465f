#include "millrace/ops/quantize/quantized_values.cases.h"

namespace millrace::cases {

MR_CASES(QuantizedResizeBilinear)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const AttrMap& attrs : {AttrMap(), AttrMap{{"align_corners", true}},
                                 AttrMap{{"half_pixel_centers", true}}}) {
      for (const int64_t depth : {1, 2, 3}) {
        c.Ok({Numbers(t, {2, 5, 6, depth}), Vec({9, 13}), F(-1), F(2)}, attrs);
        c.Ok({Numbers(t, {1, 17, 12, depth}), Vec({5, 20}), F(-1), F(2)},
             attrs);
      }
      c.Ok({Numbers(t, {1, 4, 4, 1}), Vec({4, 4}), F(-1), F(2)}, attrs);
      c.Ok({Numbers(t, {1, 1, 1, 2}), Vec({3, 4}), F(-1), F(2)}, attrs);
      c.Ok({Numbers(t, {1, 4, 4, 2}), Vec({1, 1}), F(-1), F(2)}, attrs);
    }
    c.Ok({Empty(t, {0, 4, 4, 2}), Vec({1, 1}), F(-1), F(2)})
        .NoStock("stock gives no range");
  });
  const auto error = [&c](Value images, Value size, const char* words) {
    c.Error({std::move(images), std::move(size), F(-1), F(2)}, kBad, words);
  };
  error(Bytes({4, 4, 1}), Vec({2, 2}), "input must be 4-dimensional[4,4,1]");
  error(Bytes({1, 4, 4, 1}), Scalar(2), "shape_t must be 1-dimensional[]");
  error(Bytes({1, 4, 4, 1}), Vec({2}), "shape_t must have two elements[1]");
  error(Bytes({1, 4, 4, 1}), Vec({2, 0}), "output dimensions must be positive");
  error(Empty(kU, {1, 0, 4, 1}), Vec({2, 2}),
        "input image must be of non-zero size");
  c.Error({Bytes({1, 4, 4, 1}), Vec({2, 2}), F32({1}), F(2)}, kBad,
          "min must be a scalar");
  c.BuildError({Bytes({1, 4, 4, 1}), Vec({2, 2}), F32({1}), F(2)}, {},
               "Shape must be rank 0");
}

}  // namespace millrace::cases

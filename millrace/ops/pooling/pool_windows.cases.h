// Windows that the cases of pooling ops share, as attributes.
#pragma once

#include "tests/cases/case.h"

namespace millrace::cases {

inline constexpr char kNhwcOnly[] =
    "stock's kernel for this dtype takes NHWC only";

inline AttrMap Pool(IntList ksize, IntList strides, const char* padding) {
  return {{"ksize", std::move(ksize)},
          {"strides", std::move(strides)},
          {"padding", padding}};
}
// Returns `attrs` with those of `more`, which take precedence.
inline AttrMap With(AttrMap attrs, AttrMap more) {
  for (const auto& [name, value] : more) attrs.Set(name, value);
  return attrs;
}

// Windows of images, the last with channels first.
inline AttrMap Same() { return Pool({1, 2, 3, 1}, {1, 2, 2, 1}, "SAME"); }
inline AttrMap Valid() { return Pool({1, 3, 2, 1}, {1, 1, 3, 1}, "VALID"); }
inline AttrMap Overlap() { return Pool({1, 3, 3, 1}, {1, 1, 1, 1}, "SAME"); }
inline AttrMap First() {
  return With(Pool({1, 1, 2, 3}, {1, 1, 2, 2}, "SAME"),
              {{"data_format", "NCHW"}});
}
// Windows of volumes, the last with channels first.
inline AttrMap Same3() {
  return Pool({1, 2, 2, 3, 1}, {1, 1, 2, 2, 1}, "SAME");
}
inline AttrMap Valid3() {
  return Pool({1, 2, 1, 2, 1}, {1, 1, 2, 1, 1}, "VALID");
}
inline AttrMap First3() {
  return With(Pool({1, 1, 2, 2, 3}, {1, 1, 1, 2, 2}, "SAME"),
              {{"data_format", "NCDHW"}});
}

}  // namespace millrace::cases

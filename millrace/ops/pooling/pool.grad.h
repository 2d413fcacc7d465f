// The attributes of a pooling op, for the op that is its gradient.
#pragma once

#include <string>
#include <vector>

#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

inline std::vector<int64_t> KsizeOf(GradContext& g) {
  return g.Attr<std::vector<int64_t>>("ksize");
}
inline std::vector<int64_t> StridesOf(GradContext& g) {
  return g.Attr<std::vector<int64_t>>("strides");
}
inline std::string PaddingOf(GradContext& g) {
  return g.Attr<std::string>("padding");
}

// Returns options with the format of the data, and defaults otherwise.
template <class Options>
Options FormatOf(GradContext& g) {
  Options options;
  options.data_format = g.Attr<std::string>("data_format");
  return options;
}

}  // namespace millrace::ops

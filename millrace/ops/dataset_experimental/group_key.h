// The results of functions of groups: keys and sizes.
#pragma once

#include "absl/strings/string_view.h"
#include "millrace/ops/data/dataset.h"

namespace millrace::ops {

// Returns the result of the function in attribute `function`: one int64.
// Returns INVALID_ARGUMENT for other results.
inline StatusOr<int64_t> IntResult(const Element& results,
                                   absl::string_view function) {
  if (results.size() != 1 || results[0].dtype() != DataType::kInt64 ||
      results[0].num_elements() != 1) {
    return InvalidArgument("`", function, "` must return a scalar int64.");
  }
  return results[0].flat<int64_t>()[0];
}

}  // namespace millrace::ops

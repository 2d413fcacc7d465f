#include "millrace/ops/state/row_index.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace millrace::ops {

Status BadRowIndex(const Tensor& indices, int64_t place, int64_t value,
                   int64_t limit) {
  std::vector<int64_t> at(static_cast<size_t>(indices.rank()));
  for (int d = indices.rank() - 1; d >= 0; --d) {
    at[static_cast<size_t>(d)] = place % indices.dim(d);
    place /= indices.dim(d);
  }
  return InvalidArgument(
      "indices",
      at.empty() ? "" : absl::StrCat("[", absl::StrJoin(at, ","), "]"), " = ",
      value, " is not in [0, ", limit, ")");
}

}  // namespace millrace::ops

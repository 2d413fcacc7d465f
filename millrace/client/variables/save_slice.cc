#include "millrace/client/variables/save_slice.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace millrace {

std::string SaveSlice::Spec() const {
  std::string extents;
  for (size_t i = 0; i < offset.size(); ++i) {
    absl::StrAppend(&extents, i > 0 ? ":" : "", offset[i], ",", shape[i]);
  }
  return absl::StrCat(absl::StrJoin(full_shape, " "), " ", extents);
}

}  // namespace millrace

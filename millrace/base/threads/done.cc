#include "millrace/base/threads/done.h"

#include "absl/strings/string_view.h"
#include "millrace/base/check.h"

namespace millrace {

void Done::CompleteDropped() {
  const absl::string_view path(file_);
  const absl::string_view name = path.substr(path.rfind('/') + 1);
  std::move (*this)(Internal("callback was dropped: ", name, ":", line_));
}

void Done::DieCalledTwice() {
  internal::Die(__FILE__, __LINE__, "armed",
                "a completion callback was called twice, or after a move");
}

}  // namespace millrace

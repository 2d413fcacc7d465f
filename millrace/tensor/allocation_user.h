// AllocationUser: who allocates on this thread, for messages of allocators.
#pragma once

#include <utility>

#include "absl/strings/string_view.h"

namespace millrace {

// Names the node of the kernel that allocates while this is alive.
class AllocationUser {
 public:
  explicit AllocationUser(absl::string_view node)
      : before_(std::exchange(current_, node)) {}
  ~AllocationUser() { current_ = before_; }
  AllocationUser(const AllocationUser&) = delete;
  AllocationUser& operator=(const AllocationUser&) = delete;

  // Empty: nobody has said.
  static absl::string_view Current() { return current_; }

 private:
  static inline thread_local constinit absl::string_view current_;
  const absl::string_view before_;
};

}  // namespace millrace

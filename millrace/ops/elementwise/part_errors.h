// PartErrors: the first error among parts that threads compute.
#pragma once

#include <utility>

#include "millrace/base/status.h"
#include "millrace/base/threads/thread.h"

namespace millrace::ops {

// Thread-safe except for Take.
class PartErrors {
 public:
  void Add(Status status) {
    if (status.ok()) return;
    MutexLock lock(mu_);
    if (first_.ok()) first_ = std::move(status);
  }
  Status Take() { return std::move(first_); }

 private:
  Mutex mu_;
  Status first_;
};

}  // namespace millrace::ops

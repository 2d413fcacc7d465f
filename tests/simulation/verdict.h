// Verdict: the first violation in all threads of a run.
#pragma once

#include <utility>

#include "millrace/base/log.h"
#include "millrace/base/status.h"
#include "millrace/base/threads/thread.h"

namespace millrace::sim {

// Thread-safe.
class Verdict {
 public:
  void Fail(Status status) {
    MR_LOG(Error) << "this must not be: " << status;
    MutexLock lock(mu_);
    if (status_.ok()) status_ = std::move(status);
  }
  Status status() const {
    MutexLock lock(mu_);
    return status_;
  }
  bool ok() const { return status().ok(); }

 private:
  mutable Mutex mu_;
  Status status_;  // guarded by mu_
};

}  // namespace millrace::sim

// The cores on which processes run.
#pragma once

#include <sched.h>

#include <optional>
#include <vector>

#include "millrace/millrace.h"

namespace millrace::examples {

// The numbers of those that this process may use.
std::vector<int> OwnCores();

// While it lives, this thread, and so what it starts, runs on one core alone.
class ScopedCore {
 public:
  // None: on all cores as before.
  explicit ScopedCore(std::optional<int> core);
  ~ScopedCore();
  ScopedCore(const ScopedCore&) = delete;
  ScopedCore& operator=(const ScopedCore&) = delete;

  // INVALID_ARGUMENT if this process may not use the core.
  const Status& status() const { return status_; }

 private:
  Status status_;
  std::optional<cpu_set_t> before_;
};

}  // namespace millrace::examples

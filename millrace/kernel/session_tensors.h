// SessionTensors: tensors that a session keeps on a task from step to step.
#pragma once

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "millrace/base/status.h"
#include "millrace/base/threads/thread.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

// Belongs to a session, and ends with it. Thread-safe.
class SessionTensors {
 public:
  // Keeps the tensor and returns its handle, "node;number;device", where the
  // number tells the session's tensors on this task apart.
  std::string Add(absl::string_view node, absl::string_view device,
                  Tensor tensor);
  // Return INVALID_ARGUMENT for a handle that names nothing here.
  StatusOr<Tensor> Find(absl::string_view handle) const;
  Status Delete(absl::string_view handle);
  void Clear();

 private:
  mutable Mutex mu_;  // guards all below
  int64_t next_ = 0;
  absl::flat_hash_map<std::string, Tensor> tensors_;
};

}  // namespace millrace

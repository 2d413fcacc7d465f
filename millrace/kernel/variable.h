// Variable: the resource behind VariableV2 (reference edges) and VarHandleOp.
#pragma once

#include <string>

#include "millrace/base/thread.h"
#include "millrace/kernel/resource.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

// Readers take the current buffer (Read); dense updates write in place if
// nobody else holds the buffer, else copy on write, so reads are never torn.
// Kernels that touch part of a variable (gather, scatter, sparse apply) never
// take its buffer: they work under the row locks.
//
// Locks, in order: mu() (the value and whether there is one), then the stripes.
class Variable final : public Resource {
 public:
  static constexpr absl::string_view kTypeName = "Variable";

  Variable(DataType dtype, std::string name) : dtype_(dtype), name_(std::move(name)) {}

  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override;

  DataType dtype() const { return dtype_; }
  const std::string& name() const { return name_; }

  bool IsInitialized() const;
  // The current value. FAILED_PRECONDITION "Attempting to use uninitialized
  // value NAME".
  StatusOr<Tensor> Read() const;
  // Replaces the value; takes `value`'s buffer over (a buffer that is shared,
  // with a constant or a feed say, is protected by copy on write).
  void Assign(Tensor value);
  // Back to uninitialized.
  void Clear();

  // For kernels that update: hold `mu()`, then use these.
  SharedMutex& mu() const { return mu_; }
  bool initialized_locked() const { return value_.valid(); }
  const Tensor& value_locked() const { return value_; }
  // The value to write to in place: made unshared first (a copy) if other
  // tensors hold its buffer. RESOURCE_EXHAUSTED. `mu()` held for writing.
  StatusOr<Tensor*> MutableLocked(Allocator* allocator);
  void SetLocked(Tensor value) { value_ = std::move(value); }

  // Sparse access. Shared with other row accesses; whole-buffer operations
  // exclude it through mu(). After the first sparse update whole reads copy
  // (see Read), since the buffer is then written in place.
  void MarkSparselyUpdated() { sparse_ = true; }
  static constexpr int kStripes = 64;
  SharedMutex& stripe(int64_t row) const { return stripes_[static_cast<uint64_t>(row) % kStripes]; }

 private:
  const DataType dtype_;
  const std::string name_;
  mutable SharedMutex mu_;
  Tensor value_;
  bool sparse_ = false;  // guarded by mu_
  mutable SharedMutex stripes_[kStripes];
};

}  // namespace millrace

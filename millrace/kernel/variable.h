// Variable: the resource behind VariableV2 (reference edges) and VarHandleOp.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "millrace/base/threads/thread.h"
#include "millrace/kernel/resource.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

// The object that the views of a variable refer to (kernel/variable_view.h):
// the memory of a value with a certain number of elements. Updates, and
// assignments of as many elements, write into the cell; an assignment of
// another number leaves the cell, with its last content, to its views.
class VariableCell : public RefCounted {
 private:
  friend class Variable;
  friend class VariableView;
  Tensor last_;  // once the variable has left; guarded by its mu()
};

// Readers take the current buffer (Read); dense updates write in place if the
// buffer has no other holder, otherwise they copy on write, so reads are never
// torn. Kernels that touch part of a variable (gather, scatter, sparse updates)
// never take its buffer: they work under the row locks, see VariableRows.
//
// A value on a device with memory of its own is read and written by that
// device's work, which is enqueued under the same locks, and done in that
// order. It has no row locks: kernels that touch part of it use MutableLocked.
//
// Lock order: mu() of all variables by address, then their row stripes.
class Variable final : public Resource {
 public:
  static constexpr absl::string_view kTypeName = "Variable";

  // `declared` is the shape, if known, of the values that Assign accepts while
  // the variable is uninitialized.
  Variable(DataType dtype, std::string name,
           std::optional<TensorShape> declared = std::nullopt)
      : dtype_(dtype), name_(std::move(name)), declared_(std::move(declared)) {}

  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override;

  DataType dtype() const { return dtype_; }
  const std::string& name() const { return name_; }

  bool IsInitialized() const;
  // Returns the current value; FAILED_PRECONDITION "Attempting to use
  // uninitialized value NAME". After a sparse update it is a copy, made row by
  // row, from `allocator` (null: host memory); RESOURCE_EXHAUSTED.
  StatusOr<Tensor> Read(Allocator* allocator = nullptr) const;
  // Returns the shape of the current value, without taking the value.
  StatusOr<TensorShape> Shape() const;
  // Replaces the value; takes ownership of `value`'s buffer (copy on write
  // protects a buffer that is shared with a constant or a feed).
  void Assign(Tensor value);
  // Makes the variable uninitialized again.
  void Clear();

  // Kernels that update hold `mu()` (for several variables: VariableLocks),
  // then use the following methods.
  SharedMutex& mu() const { return mu_; }
  bool initialized_locked() const { return value_.valid(); }
  // Returns the shape of the value, otherwise the declared one; null if there
  // is neither.
  const TensorShape* shape_locked() const {
    return value_.valid() ? &value_.shape() : declared_ ? &*declared_ : nullptr;
  }
  const Tensor& value_locked() const { return value_; }
  // Returns the value for writing in place; it is made unshared first (a copy)
  // if other tensors hold its buffer. Returns FAILED_PRECONDITION if there is
  // no value, or RESOURCE_EXHAUSTED. Requires: `mu()` is held for writing.
  StatusOr<Tensor*> MutableLocked(Allocator* allocator);
  // Returns the previous value, which should be destroyed after the lock is
  // released. Requires: `mu()` is held for writing.
  Tensor SetLocked(Tensor value);
  Status Uninitialized() const;
  // Returns the allocator for copies of values in host memory: `allocator`, or
  // that of the host if it is null or of a device.
  static Allocator* RowAllocator(Allocator* allocator);

 private:
  friend class VariableRows;
  friend class VariableView;
  // Copies bytes [begin, end) of the value row by row to `out`, which has as
  // many bytes, for plain types, or else whole elements such as strings.
  // Requires: `mu_` is held.
  void CopyPartLocked(int64_t begin, int64_t end, Tensor* out) const;

  static constexpr int kStripes = 64;
  static constexpr int kRowsPerStripe = 16;  // neighbours share a lock
  static int StripeOf(int64_t row) {
    return static_cast<int>(static_cast<uint64_t>(row) / kRowsPerStripe %
                            kStripes);
  }
  SharedMutex& stripe(int64_t row) const { return stripes_[StripeOf(row)]; }

  const DataType dtype_;
  const std::string name_;
  const std::optional<TensorShape> declared_;
  mutable SharedMutex mu_;
  Tensor value_;
  Ref<VariableCell> cell_;  // of value_; null without one
  // Whether rows may be written in place while readers hold mu_ shared; then no
  // other tensor shares the buffer. Guarded by mu_.
  bool sparse_ = false;
  mutable SharedMutex stripes_[kStripes];
};

// Holds mu() of variables for writing (dense updates), taken in a fixed order.
class VariableLocks {
 public:
  explicit VariableLocks(absl::Span<Variable* const> variables);
  ~VariableLocks();
  VariableLocks(const VariableLocks&) = delete;
  VariableLocks& operator=(const VariableLocks&) = delete;

 private:
  absl::InlinedVector<Variable*, 4> sorted_;  // each once
};

// A kernel's access to single rows (along dimension 0) of variables, from
// construction to destruction; whole-buffer updates wait meanwhile, other row
// accesses continue.
//
//   MR_ASSIGN_OR_RETURN(auto rows, VariableRows::Make({var, accum},
//   VariableRows::kUpdate, allocator)); for (...) { auto lock = rows.Lock(row);
//   ... rows.mutable_data(0) ... }
//
// A variable of rank 0 has one row. Thread-safe after Make.
class VariableRows {
 public:
  enum Mode { kRead, kUpdate };

  // Returns FAILED_PRECONDITION for a variable without a value. With kUpdate,
  // the buffers become the variables' own (a copy if they are shared);
  // RESOURCE_EXHAUSTED.
  static StatusOr<VariableRows> Make(absl::Span<Variable* const> variables,
                                     Mode mode, Allocator* allocator);
  VariableRows(VariableRows&& o) noexcept;
  VariableRows& operator=(VariableRows&&) = delete;
  ~VariableRows();

  // Returns the value of the i-th variable passed to Make. Its elements must be
  // read under Lock().
  const Tensor& value(int i) const { return variables_[i]->value_; }
  // Returns its elements, to be written under Lock(). Requires: kUpdate.
  char* mutable_data(int i) const {
    return const_cast<char*>(variables_[i]->value_.data());
  }
  template <class T>
  T* mutable_elements(int i) const {
    return reinterpret_cast<T*>(mutable_data(i));
  }

  int size() const { return static_cast<int>(variables_.size()); }

  // The rows of one group share a lock: a thread that holds one row holds them
  // all.
  static constexpr int kGroups = Variable::kStripes;
  static int GroupOf(int64_t row) { return Variable::StripeOf(row); }

  // Holds one row of all variables, for writing with kUpdate, otherwise for
  // reading. A thread holds at most one.
  class RowLock {
   public:
    ~RowLock();
    RowLock(const RowLock&) = delete;
    RowLock& operator=(const RowLock&) = delete;

   private:
    friend class VariableRows;
    RowLock(const VariableRows& rows, int64_t row);
    const VariableRows& rows_;
    const int64_t row_;
  };
  RowLock Lock(int64_t row) const { return RowLock(*this, row); }

 private:
  VariableRows() = default;
  Mode mode_ = kRead;
  // Whether rows may be written meanwhile; if not, RowLock does nothing.
  bool locks_rows_ = false;
  absl::InlinedVector<Variable*, 4> variables_;  // as given
  absl::InlinedVector<Variable*, 4> sorted_;     // by address, each once
};

}  // namespace millrace

#include "millrace/kernel/variable.h"

#include <algorithm>
#include <functional>

#include "absl/strings/str_cat.h"
#include "millrace/tensor/dispatch.h"

namespace millrace {
namespace {

absl::InlinedVector<Variable*, 4> SortedOnce(
    absl::Span<Variable* const> variables) {
  absl::InlinedVector<Variable*, 4> sorted(variables.begin(), variables.end());
  std::sort(sorted.begin(), sorted.end(), std::less<Variable*>());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

}  // namespace

std::string Variable::DebugString() const {
  ReaderLock lock(mu_);
  return absl::StrCat(
      "Variable ", DataTypeName(dtype_), " ",
      value_.valid() ? value_.shape().DebugString() : "uninitialized");
}

// Only variables in host memory have rows; on a device with memory of its own
// these are, for example, those of int32.
Allocator* Variable::RowAllocator(Allocator* allocator) {
  const bool is_host = allocator != nullptr && allocator->is_host();
  return is_host ? allocator : HostAllocator();
}

Status Variable::Uninitialized() const {
  return FailedPrecondition("Attempting to use uninitialized value ", name_);
}

bool Variable::IsInitialized() const {
  ReaderLock lock(mu_);
  return value_.valid();
}

StatusOr<Tensor> Variable::Read(Allocator* allocator) const {
  ReaderLock lock(mu_);
  if (!value_.valid()) return Uninitialized();
  if (!sparse_) return value_;
  MR_ASSIGN_OR_RETURN(Tensor copy, Tensor::Allocate(RowAllocator(allocator),
                                                    dtype_, value_.shape()));
  CopyPartLocked(0, static_cast<int64_t>(value_.size_bytes()), &copy);
  return copy;
}

StatusOr<TensorShape> Variable::Shape() const {
  ReaderLock lock(mu_);
  if (!value_.valid()) return Uninitialized();
  return value_.shape();
}

// Row updates may be in progress: copies the rows of one stripe at a time.
void Variable::CopyPartLocked(int64_t begin, int64_t end, Tensor* out) const {
  const int64_t rows = value_.rank() == 0 ? 1 : value_.dim(0);
  const int64_t size = static_cast<int64_t>(SizeOf(dtype_));
  const int64_t row_bytes = rows == 0 ? 0 : value_.num_elements() / rows * size;
  const int64_t piece = std::max<int64_t>(row_bytes * kRowsPerStripe, 1);
  const char* from = value_.data();
  char* to = out->mutable_data();
  // Plain elements are copied as bytes, since the part may have another type.
  const DataType moved = IsPlain(dtype_) ? DataType::kUint8 : dtype_;
  (void)DispatchBySize(moved, [&]<class T>() {
    for (int64_t at = begin; at < end;) {
      const int64_t next = std::min(end, (at / piece + 1) * piece);
      ReaderLock lock(stripe(row_bytes == 0 ? 0 : at / row_bytes));
      std::copy(reinterpret_cast<const T*>(from + at),
                reinterpret_cast<const T*>(from + next),
                reinterpret_cast<T*>(to + (at - begin)));
      at = next;
    }
    return OkStatus();
  });
}

void Variable::Assign(Tensor value) {
  Tensor old;  // freed after the lock
  WriterLock lock(mu_);
  old = SetLocked(std::move(value));
}

Tensor Variable::SetLocked(Tensor value) {
  if (!value_.valid() || !value.valid() ||
      value_.num_elements() != value.num_elements()) {
    if (cell_ != nullptr && !cell_->IsUnique()) cell_->last_ = value_;
    cell_ = value.valid() ? MakeRef<VariableCell>() : nullptr;
  }
  Tensor old = std::exchange(value_, std::move(value));
  sparse_ = false;
  return old;
}

void Variable::Clear() { Assign(Tensor()); }

StatusOr<Tensor*> Variable::MutableLocked(Allocator* allocator) {
  if (!value_.valid()) return Uninitialized();
  if (!value_.IsUnshared()) {
    MR_ASSIGN_OR_RETURN(
        value_, value_.DeepCopy(value_.on_device() ? allocator
                                                   : RowAllocator(allocator)));
    sparse_ = false;
  }
  return &value_;
}

VariableLocks::VariableLocks(absl::Span<Variable* const> variables)
    : sorted_(SortedOnce(variables)) {
  for (Variable* v : sorted_) v->mu().Lock();
}

VariableLocks::~VariableLocks() {
  for (Variable* v : sorted_) v->mu().Unlock();
}

StatusOr<VariableRows> VariableRows::Make(absl::Span<Variable* const> variables,
                                          Mode mode, Allocator* allocator) {
  VariableRows rows;
  rows.mode_ = mode;
  rows.variables_.assign(variables.begin(), variables.end());
  const auto sorted = SortedOnce(variables);
  // From here on the destructor unlocks the variables in sorted_.
  for (Variable* v : sorted) {
    v->mu_.LockShared();
    rows.sorted_.push_back(v);
    if (!v->value_.valid()) return v->Uninitialized();
    if (v->value_.on_device()) {
      return Internal("rows of variable ", v->name(),
                      " are in memory of a device");
    }
    if (mode == kUpdate) {
      while (!v->sparse_) {
        // The buffer becomes the variable's own under the writer's lock.
        // Another thread may assign a new value before the lock is shared
        // again.
        v->mu_.UnlockShared();
        rows.sorted_.pop_back();
        {
          WriterLock lock(v->mu_);
          MR_RETURN_IF_ERROR(v->MutableLocked(allocator).status());
          v->sparse_ = true;
        }
        v->mu_.LockShared();
        rows.sorted_.push_back(v);
        if (!v->value_.valid()) return v->Uninitialized();
        if (v->value_.on_device()) {
          return Internal("rows of variable ", v->name(),
                          " are in memory of a device");
        }
      }
    }
    rows.locks_rows_ |= v->sparse_;
  }
  return rows;
}

VariableRows::VariableRows(VariableRows&& o) noexcept
    : mode_(o.mode_),
      locks_rows_(o.locks_rows_),
      variables_(std::move(o.variables_)),
      sorted_(std::move(o.sorted_)) {
  o.sorted_.clear();  // this object owns the locks now
}

VariableRows::~VariableRows() {
  for (Variable* v : sorted_) v->mu_.UnlockShared();
}

VariableRows::RowLock::RowLock(const VariableRows& rows, int64_t row)
    : rows_(rows), row_(row) {
  if (!rows_.locks_rows_) return;
  for (Variable* v : rows_.sorted_) {
    if (rows_.mode_ == kUpdate) {
      v->stripe(row_).Lock();
    } else {
      v->stripe(row_).LockShared();
    }
  }
}

VariableRows::RowLock::~RowLock() {
  if (!rows_.locks_rows_) return;
  for (Variable* v : rows_.sorted_) {
    if (rows_.mode_ == kUpdate) {
      v->stripe(row_).Unlock();
    } else {
      v->stripe(row_).UnlockShared();
    }
  }
}

}  // namespace millrace

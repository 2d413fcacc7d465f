#include "millrace/ops/lookup/static_table.h"

#include <algorithm>

namespace millrace::ops {
namespace {

// The number of keys between two checks for cancellation.
constexpr int64_t kStaticKeysAtOnce = 1 << 16;

}  // namespace

StaticTable::StaticTable(DataType key_dtype, DataType value_dtype,
                         std::string name)
    : LookupTable({key_dtype, value_dtype, TensorShape(), TensorShape()},
                  std::move(name)) {}

int64_t StaticTable::size() const {
  ReaderLock lock(mu_);
  return rows_ ? rows_->size() : 0;
}

bool StaticTable::is_initialized() const {
  ReaderLock lock(mu_);
  return rows_ != nullptr;
}

Status StaticTable::Find(KernelContext& ctx, const Tensor& keys,
                         const Tensor& defaults, Tensor* values) const {
  ReaderLock lock(mu_);
  if (!rows_) return FailedPrecondition("Table not initialized.");
  return rows_->Find(ctx, keys, defaults, values);
}

Status StaticTable::Insert(KernelContext&, const Tensor&, const Tensor&) {
  return Unimplemented(
      "Insert not supported by InitializableLookupTable implementations");
}

Status StaticTable::Remove(KernelContext&, const Tensor&) {
  return Unimplemented(
      "Remove not supported by InitializableLookupTable implementations");
}

std::unique_ptr<HashRows> StaticTable::NewRows() const {
  return std::make_unique<HashRows>(signature().key_dtype,
                                    signature().value_dtype, 1);
}

Status StaticTable::CheckAgain(int64_t entries) const {
  if (entries == rows_->size()) return OkStatus();
  return FailedPrecondition(
      "Table was already initialized with different data.");
}

Status StaticTable::Initialize(std::unique_ptr<HashRows> rows,
                               int64_t entries) {
  WriterLock lock(mu_);
  if (rows_) return CheckAgain(entries);
  rows_ = std::move(rows);
  return OkStatus();
}

Status StaticTable::Import(KernelContext& ctx, const Tensor& keys,
                           const Tensor& values) {
  const int64_t n = keys.num_elements();
  if (n == 0) {
    return InvalidArgument("keys and values cannot be empty tensors.");
  }
  {
    ReaderLock lock(mu_);
    if (rows_) return CheckAgain(n);
  }
  std::unique_ptr<HashRows> rows = NewRows();
  Allocator* const allocator = ctx.allocator();
  MR_RETURN_IF_ERROR(rows->Reserve(allocator, n));
  for (int64_t i = 0; i < n; i += kStaticKeysAtOnce) {
    MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    MR_RETURN_IF_ERROR(rows->PutOnce(allocator, keys, values, i,
                                     std::min(n, i + kStaticKeysAtOnce)));
  }
  return Initialize(std::move(rows), n);
}

Status StaticTable::Export(KernelContext& ctx, Tensor* keys,
                           Tensor* values) const {
  ReaderLock lock(mu_);
  if (!rows_) return Aborted("HashTable is not initialized.");
  const TensorShape shape({rows_->size()});
  MR_ASSIGN_OR_RETURN(*keys, ctx.AllocateTemp(signature().key_dtype, shape));
  MR_ASSIGN_OR_RETURN(*values,
                      ctx.AllocateTemp(signature().value_dtype, shape));
  rows_->Export(keys, values);
  return OkStatus();
}

}  // namespace millrace::ops

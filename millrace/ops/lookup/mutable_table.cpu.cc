#include "millrace/ops/lookup/mutable_table.h"

#include <algorithm>

namespace millrace::ops {
namespace {

// The number of keys between two checks for cancellation.
constexpr int64_t kMutableKeysAtOnce = 1 << 16;

Status PutAll(KernelContext& ctx, const Tensor& keys, const Tensor& values,
              HashRows* rows) {
  const int64_t n = keys.num_elements();
  for (int64_t i = 0; i < n; i += kMutableKeysAtOnce) {
    MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    MR_RETURN_IF_ERROR(rows->Put(ctx.allocator(), keys, values, i,
                                 std::min(n, i + kMutableKeysAtOnce)));
  }
  return OkStatus();
}

}  // namespace

MutableTable::MutableTable(DataType key_dtype, DataType value_dtype,
                           TensorShape value_shape, std::string name)
    : LookupTable(
          {key_dtype, value_dtype, TensorShape(), std::move(value_shape)},
          std::move(name)),
      rows_(NewRows()) {}

std::unique_ptr<HashRows> MutableTable::NewRows() const {
  return std::make_unique<HashRows>(signature().key_dtype,
                                    signature().value_dtype,
                                    signature().value_shape.num_elements());
}

int64_t MutableTable::size() const {
  ReaderLock lock(mu_);
  return rows_->size();
}

Status MutableTable::Find(KernelContext& ctx, const Tensor& keys,
                          const Tensor& defaults, Tensor* values) const {
  ReaderLock lock(mu_);
  return rows_->Find(ctx, keys, defaults, values);
}

Status MutableTable::Insert(KernelContext& ctx, const Tensor& keys,
                            const Tensor& values) {
  WriterLock lock(mu_);
  return PutAll(ctx, keys, values, rows_.get());
}

Status MutableTable::Remove(KernelContext& ctx, const Tensor& keys) {
  const int64_t n = keys.num_elements();
  WriterLock lock(mu_);
  for (int64_t i = 0; i < n; i += kMutableKeysAtOnce) {
    MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    rows_->Remove(keys, i, std::min(n, i + kMutableKeysAtOnce));
  }
  return OkStatus();
}

Status MutableTable::Import(KernelContext& ctx, const Tensor& keys,
                            const Tensor& values) {
  std::unique_ptr<HashRows> rows = NewRows();
  MR_RETURN_IF_ERROR(rows->Reserve(ctx.allocator(), keys.num_elements()));
  MR_RETURN_IF_ERROR(PutAll(ctx, keys, values, rows.get()));
  WriterLock lock(mu_);
  rows_.swap(rows);
  return OkStatus();
}

Status MutableTable::Export(KernelContext& ctx, Tensor* keys,
                            Tensor* values) const {
  ReaderLock lock(mu_);
  MR_ASSIGN_OR_RETURN(const TensorShape key_shape,
                      TensorShape::Make({rows_->size()}));
  MR_ASSIGN_OR_RETURN(const TensorShape value_shape,
                      ReplaceKeyShape(key_shape, 0, signature().value_shape));
  MR_ASSIGN_OR_RETURN(*keys,
                      ctx.AllocateTemp(signature().key_dtype, key_shape));
  MR_ASSIGN_OR_RETURN(*values,
                      ctx.AllocateTemp(signature().value_dtype, value_shape));
  rows_->Export(keys, values);
  return OkStatus();
}

}  // namespace millrace::ops

// MutableTable: a table that grows and shrinks (MutableHashTable, and
// MutableHashTableOfTensors, whose values are vectors).
#pragma once

#include <memory>
#include <string>

#include "millrace/base/threads/thread.h"
#include "millrace/ops/lookup/hash_rows.h"
#include "millrace/ops/lookup/lookup_table.h"

namespace millrace::ops {

// Keys are single elements. A change that is cancelled or runs out of memory
// may have been made in part.
class MutableTable final : public LookupTable {
 public:
  MutableTable(DataType key_dtype, DataType value_dtype,
               TensorShape value_shape, std::string name);

  int64_t size() const override;
  Status Find(KernelContext& ctx, const Tensor& keys, const Tensor& defaults,
              Tensor* values) const override;
  Status Insert(KernelContext& ctx, const Tensor& keys,
                const Tensor& values) override;
  Status Remove(KernelContext& ctx, const Tensor& keys) override;
  Status Import(KernelContext& ctx, const Tensor& keys,
                const Tensor& values) override;
  Status Export(KernelContext& ctx, Tensor* keys,
                Tensor* values) const override;

 private:
  std::unique_ptr<HashRows> NewRows() const;

  mutable SharedMutex mu_;
  std::unique_ptr<HashRows> rows_;  // guarded by mu_
};

}  // namespace millrace::ops

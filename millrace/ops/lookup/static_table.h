// StaticTable: a table that is filled once and read from then on (HashTable).
#pragma once

#include <memory>
#include <string>

#include "millrace/base/threads/thread.h"
#include "millrace/ops/lookup/hash_rows.h"
#include "millrace/ops/lookup/lookup_table.h"

namespace millrace::ops {

// Single keys, single values. Before it is filled: Find gives
// FAILED_PRECONDITION "Table not initialized.", Export ABORTED. Insert and
// Remove are always UNIMPLEMENTED; Import fills it.
class StaticTable final : public LookupTable {
 public:
  StaticTable(DataType key_dtype, DataType value_dtype, std::string name);

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

  bool is_initialized() const;
  // Empty rows of this table's types.
  std::unique_ptr<HashRows> NewRows() const;
  // Takes `rows`, made of `entries` keys. What is there already stays: then OK
  // if it has as many keys as `entries` says, else FAILED_PRECONDITION "Table
  // was already initialized with different data."
  Status Initialize(std::unique_ptr<HashRows> rows, int64_t entries);

 private:
  Status CheckAgain(int64_t entries) const;  // with mu_ held

  mutable SharedMutex mu_;
  std::unique_ptr<HashRows> rows_;  // null: not initialized; guarded by mu_
};

}  // namespace millrace::ops

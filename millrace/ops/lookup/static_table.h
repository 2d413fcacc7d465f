// StaticTable: a table that is filled once and read from then on (HashTable).
#pragma once

#include <memory>
#include <string>

#include "millrace/base/threads/thread.h"
#include "millrace/ops/lookup/hash_rows.h"
#include "millrace/ops/lookup/lookup_table.h"

namespace millrace::ops {

// Keys and values are single elements. Until it is filled, Find returns
// FAILED_PRECONDITION "Table not initialized." and Export ABORTED. Insert and
// Remove always return UNIMPLEMENTED; Import fills the table.
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
  // Returns empty rows of this table's types.
  std::unique_ptr<HashRows> NewRows() const;
  // Takes `rows`, made of `entries` keys. A table that is already filled stays
  // as it is: then returns OK if it has `entries` keys, else
  // FAILED_PRECONDITION "Table was already initialized with different data."
  Status Initialize(std::unique_ptr<HashRows> rows, int64_t entries);

 private:
  Status CheckAgain(int64_t entries) const;  // requires mu_

  mutable SharedMutex mu_;
  std::unique_ptr<HashRows> rows_;  // null: not initialized; guarded by mu_
};

}  // namespace millrace::ops

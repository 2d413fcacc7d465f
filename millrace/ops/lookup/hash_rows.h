// HashRows: values by key, in the order in which the keys came. What hash
// tables without reserved keys hold.
#pragma once

#include <memory>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/ops/lookup/key_index.h"

namespace millrace::ops {

// Keys are single elements, values have `value_elements` of them. Charged to
// the memory budget whole. Not thread-safe, but for many readers.
class HashRows {
 public:
  HashRows(DataType key_dtype, DataType value_dtype, int64_t value_elements);

  int64_t size() const { return index_->size(); }
  // As LookupTable::Find.
  Status Find(KernelContext& ctx, const Tensor& keys, const Tensor& defaults,
              Tensor* values) const;
  // Room for `rows` in all, so that none is taken in vain.
  Status Reserve(Allocator* allocator, int64_t rows);
  // Keys [begin, end) and their values; of the same key the last value stays.
  // RESOURCE_EXHAUSTED; nothing has changed then.
  Status Put(Allocator* allocator, const Tensor& keys, const Tensor& values,
             int64_t begin, int64_t end);
  // The same, but FAILED_PRECONDITION "HashTable has different value for same
  // key. ..." where a key has another value already. Single values only.
  Status PutOnce(Allocator* allocator, const Tensor& keys, const Tensor& values,
                 int64_t begin, int64_t end);
  void Remove(const Tensor& keys, int64_t begin, int64_t end);
  // Into tensors of size() keys, which are allocated already.
  void Export(Tensor* keys, Tensor* values) const;

 private:
  Status MakeRoom(Allocator* allocator, const Tensor& keys,
                  const Tensor& values, int64_t begin, int64_t end);
  // The index, and `more` that is about to be copied; text counts itself then.
  Status Charge(int64_t more);
  void SetRow(int64_t row, const Tensor& values, int64_t i);

  const int64_t width_;
  std::unique_ptr<KeyIndex> index_;
  Tensor values_;  // [capacity_, width_]
  int64_t capacity_ = 0;
  MemoryCharge charge_;
};

}  // namespace millrace::ops

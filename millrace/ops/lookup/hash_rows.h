// HashRows: values by key, in the order in which the keys were added. The
// contents of hash tables without reserved keys.
#pragma once

#include <memory>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/ops/lookup/key_index.h"

namespace millrace::ops {

// Keys are single elements; values have `value_elements` elements. All of it is
// charged to the memory budget. Not thread-safe, but many threads may read at
// once.
class HashRows {
 public:
  HashRows(DataType key_dtype, DataType value_dtype, int64_t value_elements);

  int64_t size() const { return index_->size(); }
  // Does what LookupTable::Find does.
  Status Find(KernelContext& ctx, const Tensor& keys, const Tensor& defaults,
              Tensor* values) const;
  // Makes room for `rows` rows in total, so that none is allocated needlessly.
  Status Reserve(Allocator* allocator, int64_t rows);
  // Adds keys [begin, end) and their values; the last value of a key stays.
  // Returns RESOURCE_EXHAUSTED if memory runs out, and has then changed
  // nothing.
  Status Put(Allocator* allocator, const Tensor& keys, const Tensor& values,
             int64_t begin, int64_t end);
  // Does the same, but returns FAILED_PRECONDITION "HashTable has different
  // value for same key. ..." if a key has another value already. For single
  // values only.
  Status PutOnce(Allocator* allocator, const Tensor& keys, const Tensor& values,
                 int64_t begin, int64_t end);
  void Remove(const Tensor& keys, int64_t begin, int64_t end);
  // Writes size() keys and their values into tensors that are allocated
  // already.
  void Export(Tensor* keys, Tensor* values) const;

 private:
  Status MakeRoom(Allocator* allocator, const Tensor& keys,
                  const Tensor& values, int64_t begin, int64_t end);
  // Charges the index, and `more` for text that is about to be copied;
  // afterwards text charges itself.
  Status Charge(int64_t more);
  void SetRow(int64_t row, const Tensor& values, int64_t i);

  const int64_t width_;
  std::unique_ptr<KeyIndex> index_;
  Tensor values_;  // [capacity_, width_]
  int64_t capacity_ = 0;
  MemoryCharge charge_;
};

}  // namespace millrace::ops

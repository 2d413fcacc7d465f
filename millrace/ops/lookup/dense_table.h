// DenseTable: a table in two tensors of buckets, with two keys that stand for
// "no key here" (MutableDenseHashTable).
#pragma once

#include <string>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/base/threads/thread.h"
#include "millrace/ops/lookup/lookup_table.h"

namespace millrace::ops {

// Open addressing in a power of 2 of buckets, tried at distances 1, 3, 6, ...
// Hashes and order are stock's, so that tables that either has exported can be
// imported by the other. A key is a scalar or a vector, so is a value. Keys
// come as [n] + the shape of one key. Where a removed key was, its bucket has
// the deleted key, until a new one takes the place. A change that is cancelled
// or meets a reserved key has been made up to there.
class DenseTable final : public LookupTable {
 public:
  struct Options {
    DataType key_dtype = DataType::kInvalid;
    DataType value_dtype = DataType::kInvalid;
    TensorShape value_shape;
    int64_t initial_buckets = 0;
    float max_load_factor = 0;
  };
  // Without a deleted key (an invalid tensor) keys cannot be removed.
  // INVALID_ARGUMENT for options and keys that no table can have.
  static StatusOr<Ref<DenseTable>> Make(KernelContext& ctx,
                                        const Options& options,
                                        Tensor empty_key, Tensor deleted_key,
                                        std::string name);
  DenseTable(const Options& options, Tensor empty_key, Tensor deleted_key,
             std::string name);

  int64_t size() const override;
  Status Find(KernelContext& ctx, const Tensor& keys, const Tensor& defaults,
              Tensor* values) const override;
  Status Insert(KernelContext& ctx, const Tensor& keys,
                const Tensor& values) override;
  Status Remove(KernelContext& ctx, const Tensor& keys) override;
  // The buckets as they are: [buckets, elements of a key] and of a value.
  Status Import(KernelContext& ctx, const Tensor& keys,
                const Tensor& values) override;
  Status Export(KernelContext& ctx, Tensor* keys,
                Tensor* values) const override;
  Status CheckImport(const Tensor& keys, const Tensor& values) const override;

 private:
  struct Buckets {
    Tensor keys, values;
    int64_t count = 0;    // a power of 2
    int64_t used = 0;     // have a key
    int64_t deleted = 0;  // had one
    MemoryCharge charge;

    // Room for text that is about to be copied; then 0: it counts itself.
    Status Charge(int64_t text_bytes) {
      return charge.Set(text_bytes, "a lookup table");
    }
  };

  // [n] + the shape of a key: n.
  StatusOr<int64_t> CountKeys(const Tensor& keys) const;
  Status CheckReserved(const Tensor& keys, int64_t n) const;
  StatusOr<Buckets> NewBuckets(KernelContext& ctx, int64_t count) const;
  // Room for `more` keys in buckets that no other tensor shares.
  Status MakeRoom(KernelContext& ctx, int64_t more);
  // Key and value i of tensors; reserved keys are passed over.
  void Put(const Tensor& keys, const Tensor& values, int64_t begin, int64_t end,
           Buckets* b) const;
  // The first of keys [0, n) that is reserved, or n.
  int64_t FirstReserved(const Tensor& keys, int64_t n) const;

  const Tensor empty_key_, deleted_key_;
  const int64_t key_size_, value_size_;
  const float max_load_factor_;
  mutable SharedMutex mu_;
  Buckets buckets_;  // guarded by mu_
};

}  // namespace millrace::ops

// DenseTable: a table in two tensors of buckets, with two reserved keys that
// mark empty and deleted buckets (MutableDenseHashTable).
#pragma once

#include <string>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/base/threads/thread.h"
#include "millrace/ops/lookup/lookup_table.h"

namespace millrace::ops {

// Uses open addressing in a power of 2 of buckets, probed at distances 1, 3, 6,
// ... Hashes and order are stock's, so that tables exported by either can be
// imported by the other. A key is a scalar or a vector, and so is a value. Keys
// come as [n] + the shape of one key. The bucket of a removed key holds the
// deleted key until a new key takes it. A change that is cancelled or meets a
// reserved key has been made up to that point.
class DenseTable final : public LookupTable {
 public:
  struct Options {
    DataType key_dtype = DataType::kInvalid;
    DataType value_dtype = DataType::kInvalid;
    TensorShape value_shape;
    int64_t initial_buckets = 0;
    float max_load_factor = 0;
  };
  // Makes a table. Without a deleted key (an invalid tensor), keys cannot be
  // removed. Returns INVALID_ARGUMENT for options and keys that no table can
  // have.
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
  // Import and Export use the buckets as they are: [buckets, elements of a key]
  // and [buckets, elements of a value].
  Status Import(KernelContext& ctx, const Tensor& keys,
                const Tensor& values) override;
  Status Export(KernelContext& ctx, Tensor* keys,
                Tensor* values) const override;
  Status CheckImport(const Tensor& keys, const Tensor& values) const override;

 private:
  struct Buckets {
    Tensor keys, values;
    int64_t count = 0;    // a power of 2
    int64_t used = 0;     // buckets with a key
    int64_t deleted = 0;  // buckets that had one
    MemoryCharge charge;

    // Charges text that is about to be copied; afterwards 0, as text charges
    // itself.
    Status Charge(int64_t text_bytes) {
      return charge.Set(text_bytes, "a lookup table");
    }
  };

  // Returns n for keys of shape [n] + the shape of a key.
  StatusOr<int64_t> CountKeys(const Tensor& keys) const;
  Status CheckReserved(const Tensor& keys, int64_t n) const;
  StatusOr<Buckets> NewBuckets(KernelContext& ctx, int64_t count) const;
  // Makes room for `more` keys in buckets that are not shared with another
  // tensor.
  Status MakeRoom(KernelContext& ctx, int64_t more);
  // Puts keys [begin, end) and their values into `b`; reserved keys are
  // skipped.
  void Put(const Tensor& keys, const Tensor& values, int64_t begin, int64_t end,
           Buckets* b) const;
  // Returns the index of the first reserved key of [0, n), or n.
  int64_t FirstReserved(const Tensor& keys, int64_t n) const;

  const Tensor empty_key_, deleted_key_;
  const int64_t key_size_, value_size_;
  const float max_load_factor_;
  mutable SharedMutex mu_;
  Buckets buckets_;  // guarded by mu_
};

}  // namespace millrace::ops

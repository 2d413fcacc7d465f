#include "millrace/ops/lookup/dense_table.h"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>

#include "millrace/base/memory/checked_size.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/lookup/dense_keys.h"
#include "millrace/ops/lookup/key_index.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

constexpr int64_t kMinBuckets = 4;
constexpr int64_t kMaxBuckets = int64_t{1} << 48;  // far beyond any memory
constexpr int64_t kFindNanos = 20;
// The number of keys between two checks for cancellation. Keys may be chosen so
// that each one probes every bucket.
constexpr int64_t kKeysAtOnce = 256;

Status CheckBuckets(int64_t count) {
  if (count >= kMinBuckets && std::has_single_bit(static_cast<uint64_t>(count)))
    return OkStatus();
  return InvalidArgument(
      "Number of buckets must be at least 4 and a power of 2, got: ", count);
}

// Calls f with the element type of a table's keys.
template <class F>
void ByKeyType(DataType type, F&& f) {
  Dispatch<int32_t, int64_t, StringElement>(type, [&]<class T>() {
    f.template operator()<T>();
    return OkStatus();
  }).IgnoreError();
}

template <class T>
const T* Elements(const Tensor& t) {
  return t.valid() ? reinterpret_cast<const T*>(t.data()) : nullptr;
}

// Writes the values of `n` keys to `out`. `all` has the values of the buckets,
// `defaults` those of keys that are not there: one for each key if `full`, else
// one for all.
template <class T, class V>
Status FindRows(KernelContext& ctx, const DenseKeys<T>& places, const T* keys,
                int64_t n, int64_t key_size, const V* all, const V* defaults,
                bool full, int64_t value_size, V* out) {
  const int64_t nanos =
      kFindNanos + value_size * (std::is_trivially_copyable_v<V> ? 1 : 15);
  return ctx.ParallelFor(n, nanos, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (i % kKeysAtOnce == 0 && !ctx.CheckCancelled().ok()) return;
      const auto place = places.Find(keys + i * key_size);
      const V* const source = place.found
                                  ? all + place.bucket * value_size
                                  : defaults + (full ? i : 0) * value_size;
      V* const to = out + i * value_size;
      if (value_size == 1) {
        *to = *source;
      } else {
        std::copy_n(source, value_size, to);
      }
    }
  });
}

// Copies row `from` of `source` to row `to` of `t`.
void CopyRow(const Tensor& source, int64_t from, int64_t width, int64_t to,
             Tensor* t) {
  CopyElements(t->dtype(), source.data(), from * width, t->mutable_data(),
               to * width, width);
}

}  // namespace

StatusOr<Ref<DenseTable>> DenseTable::Make(KernelContext& ctx, const Options& o,
                                           Tensor empty_key, Tensor deleted_key,
                                           std::string name) {
  if (!(o.max_load_factor > 0 && o.max_load_factor < 1)) {
    return InvalidArgument("max_load_factor must be between 0 and 1, got: ",
                           o.max_load_factor);
  }
  if (o.value_shape.rank() > 1) {
    return InvalidArgument(
        "Empty value must be a scalar or a vector, got shape ",
        o.value_shape.DebugString());
  }
  if (empty_key.rank() > 1) {
    return InvalidArgument("Empty key must be a scalar or a vector, got shape ",
                           empty_key.shape().DebugString());
  }
  if (deleted_key.valid()) {
    if (!(deleted_key.shape() == empty_key.shape())) {
      return InvalidArgument(
          "Empty and deleted keys must have same shape, got shapes: ",
          empty_key.shape().DebugString(), " and ",
          deleted_key.shape().DebugString());
    }
    if (IdenticalTensors(empty_key, deleted_key)) {
      return InvalidArgument("Empty and deleted keys cannot be equal");
    }
  }
  if (empty_key.num_elements() == 0) {
    return InvalidArgument("Empty key must have an element, got shape ",
                           empty_key.shape().DebugString());
  }
  MR_RETURN_IF_ERROR(CheckBuckets(o.initial_buckets));
  auto table = MakeRef<DenseTable>(o, std::move(empty_key),
                                   std::move(deleted_key), std::move(name));
  MR_ASSIGN_OR_RETURN(table->buckets_,
                      table->NewBuckets(ctx, o.initial_buckets));
  return table;
}

DenseTable::DenseTable(const Options& o, Tensor empty_key, Tensor deleted_key,
                       std::string name)
    : LookupTable(
          {o.key_dtype, o.value_dtype, empty_key.shape(), o.value_shape},
          std::move(name)),
      empty_key_(std::move(empty_key)),
      deleted_key_(std::move(deleted_key)),
      key_size_(empty_key_.num_elements()),
      value_size_(o.value_shape.num_elements()),
      max_load_factor_(o.max_load_factor) {}

int64_t DenseTable::size() const {
  ReaderLock lock(mu_);
  return buckets_.used;
}

StatusOr<DenseTable::Buckets> DenseTable::NewBuckets(KernelContext& ctx,
                                                     int64_t count) const {
  if (count > kMaxBuckets) {
    return ResourceExhausted("a lookup table of ", count, " buckets");
  }
  Buckets b;
  b.count = count;
  // Each bucket has its own copy of the empty key.
  CheckedSize text(TextBytes(empty_key_, 0, key_size_));
  MR_ASSIGN_OR_RETURN(const int64_t text_bytes,
                      (text * count).Get("the bytes of empty keys"));
  MR_RETURN_IF_ERROR(b.Charge(text_bytes));
  MR_ASSIGN_OR_RETURN(const TensorShape key_shape,
                      TensorShape::Make({count, key_size_}));
  MR_ASSIGN_OR_RETURN(const TensorShape value_shape,
                      TensorShape::Make({count, value_size_}));
  MR_ASSIGN_OR_RETURN(b.keys,
                      ctx.AllocateTemp(signature().key_dtype, key_shape));
  MR_ASSIGN_OR_RETURN(b.values,
                      ctx.AllocateTemp(signature().value_dtype, value_shape));
  MR_RETURN_IF_ERROR(ZeroTensor(ctx, &b.values));
  if (key_size_ == 1) {
    MR_RETURN_IF_ERROR(FillTensor(ctx, &b.keys, empty_key_.data()));
  } else {
    for (int64_t i = 0; i < count; ++i) {
      CopyRow(empty_key_, 0, key_size_, i, &b.keys);
    }
  }
  MR_RETURN_IF_ERROR(b.Charge(0));
  return b;
}

StatusOr<int64_t> DenseTable::CountKeys(const Tensor& keys) const {
  const int64_t n = keys.rank() == 0 ? 1 : keys.dim(0);
  if (keys.num_elements() % key_size_ == 0 &&
      keys.num_elements() / key_size_ == n) {
    return n;
  }
  MR_ASSIGN_OR_RETURN(
      const TensorShape expected,
      ReplaceKeyShape(TensorShape({n}), 0, signature().key_shape));
  return InvalidArgument("Expected key shape ", expected.DebugString(), " got ",
                         keys.shape().DebugString());
}

int64_t DenseTable::FirstReserved(const Tensor& keys, int64_t n) const {
  int64_t first = n;
  ByKeyType(keys.dtype(), [&]<class T>() {
    const DenseKeys<T> reserved(nullptr, 0, key_size_, Elements<T>(empty_key_),
                                Elements<T>(deleted_key_));
    const T* const from = Elements<T>(keys);
    first = 0;
    while (first < n && !reserved.IsEmpty(from + first * key_size_) &&
           !reserved.IsDeleted(from + first * key_size_)) {
      ++first;
    }
  });
  return first;
}

Status DenseTable::CheckReserved(const Tensor& keys, int64_t n) const {
  const int64_t first = FirstReserved(keys, n);
  if (first == n) return OkStatus();
  bool empty = false;
  ByKeyType(keys.dtype(), [&]<class T>() {
    const T* const key = Elements<T>(keys) + first * key_size_;
    empty = std::equal(key, key + key_size_, Elements<T>(empty_key_));
  });
  return InvalidArgument("Using the ", empty ? "empty_key" : "deleted_key",
                         " as a table key is not allowed");
}

Status DenseTable::Find(KernelContext& ctx, const Tensor& keys,
                        const Tensor& defaults, Tensor* values) const {
  MR_ASSIGN_OR_RETURN(const int64_t n, CountKeys(keys));
  MR_RETURN_IF_ERROR(CheckReserved(keys, n));
  // There is one default for all keys, or one for each.
  const bool full = defaults.num_elements() == values->num_elements();
  ReaderLock lock(mu_);
  Status status;
  ByKeyType(keys.dtype(), [&]<class T>() {
    const DenseKeys<T> places(Elements<T>(buckets_.keys), buckets_.count,
                              key_size_, Elements<T>(empty_key_),
                              Elements<T>(deleted_key_));
    status = DispatchBySize(values->dtype(), [&]<class V>() {
      return FindRows(ctx, places, Elements<T>(keys), n, key_size_,
                      Elements<V>(buckets_.values), Elements<V>(defaults), full,
                      value_size_,
                      reinterpret_cast<V*>(values->mutable_data()));
    });
  });
  return status;
}

void DenseTable::Put(const Tensor& keys, const Tensor& values, int64_t begin,
                     int64_t end, Buckets* b) const {
  ByKeyType(keys.dtype(), [&]<class T>() {
    const DenseKeys<T> places(Elements<T>(b->keys), b->count, key_size_,
                              Elements<T>(empty_key_),
                              Elements<T>(deleted_key_));
    const T* const from = Elements<T>(keys);
    for (int64_t i = begin; i < end; ++i) {
      const T* const key = from + i * key_size_;
      if (places.IsEmpty(key) || places.IsDeleted(key)) continue;
      const auto place = places.Find(key);
      MR_DCHECK(place.bucket >= 0, "a dense table has no room");
      if (!place.found) {
        const T* const old = Elements<T>(b->keys) + place.bucket * key_size_;
        if (places.IsDeleted(old)) --b->deleted;
        ++b->used;
        CopyRow(keys, i, key_size_, place.bucket, &b->keys);
      }
      CopyRow(values, i, value_size_, place.bucket, &b->values);
    }
  });
}

Status DenseTable::MakeRoom(KernelContext& ctx, int64_t more) {
  // The table has as many buckets as stock's, which counts in float.
  const auto pending = static_cast<float>(buckets_.used + more);
  int64_t count = buckets_.count;
  while (count <= kMaxBuckets &&
         pending > static_cast<float>(count) * max_load_factor_) {
    count *= 2;
  }
  // A search ends at an empty bucket, so there must always be one.
  if (count != buckets_.count ||
      buckets_.used + buckets_.deleted + more >= count) {
    MR_ASSIGN_OR_RETURN(Buckets larger, NewBuckets(ctx, count));
    for (int64_t i = 0; i < buckets_.count; i += kKeysAtOnce) {
      MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      Put(buckets_.keys, buckets_.values, i,
          std::min(buckets_.count, i + kKeysAtOnce), &larger);
    }
    buckets_ = std::move(larger);
  }
  if (!buckets_.keys.IsUnshared()) {
    MR_ASSIGN_OR_RETURN(buckets_.keys, buckets_.keys.DeepCopy(ctx.allocator()));
  }
  if (!buckets_.values.IsUnshared()) {
    MR_ASSIGN_OR_RETURN(buckets_.values,
                        buckets_.values.DeepCopy(ctx.allocator()));
  }
  return OkStatus();
}

Status DenseTable::Insert(KernelContext& ctx, const Tensor& keys,
                          const Tensor& values) {
  MR_ASSIGN_OR_RETURN(const int64_t n, CountKeys(keys));
  const int64_t good = FirstReserved(keys, n);
  WriterLock lock(mu_);
  MR_RETURN_IF_ERROR(MakeRoom(ctx, n));
  for (int64_t i = 0; i < good; i += kKeysAtOnce) {
    MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    const int64_t end = std::min(good, i + kKeysAtOnce);
    MR_RETURN_IF_ERROR(
        buckets_.Charge(TextBytes(keys, i * key_size_, end * key_size_) +
                        TextBytes(values, i * value_size_, end * value_size_)));
    Put(keys, values, i, end, &buckets_);
  }
  MR_RETURN_IF_ERROR(buckets_.Charge(0));
  return CheckReserved(keys, n);
}

Status DenseTable::Remove(KernelContext& ctx, const Tensor& keys) {
  if (!deleted_key_.valid()) {
    return InvalidArgument("a table without a deleted key keeps all its keys");
  }
  MR_ASSIGN_OR_RETURN(const int64_t n, CountKeys(keys));
  const int64_t good = FirstReserved(keys, n);
  WriterLock lock(mu_);
  MR_RETURN_IF_ERROR(MakeRoom(ctx, 0));
  for (int64_t i = 0; i < good; i += kKeysAtOnce) {
    MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    const int64_t end = std::min(good, i + kKeysAtOnce);
    MR_RETURN_IF_ERROR(
        buckets_.Charge((end - i) * TextBytes(deleted_key_, 0, key_size_)));
    ByKeyType(keys.dtype(), [&]<class T>() {
      const DenseKeys<T> places(Elements<T>(buckets_.keys), buckets_.count,
                                key_size_, Elements<T>(empty_key_),
                                Elements<T>(deleted_key_));
      for (int64_t k = i; k < end; ++k) {
        const auto place = places.Find(Elements<T>(keys) + k * key_size_);
        if (!place.found) continue;
        CopyRow(deleted_key_, 0, key_size_, place.bucket, &buckets_.keys);
        --buckets_.used;
        ++buckets_.deleted;
      }
    });
  }
  MR_RETURN_IF_ERROR(buckets_.Charge(0));
  return CheckReserved(keys, n);
}

Status DenseTable::CheckImport(const Tensor& keys, const Tensor& values) const {
  MR_RETURN_IF_ERROR(CheckKeys(keys));
  const TensorShape value({value_size_});
  MR_ASSIGN_OR_RETURN(const TensorShape expected,
                      ReplaceKeyShape(keys.shape(), 1, value));
  if (!(values.shape() == expected)) {
    return InvalidArgument("Expected shape ", expected.DebugString(),
                           " for value, got ", values.shape().DebugString());
  }
  if (keys.rank() != 2 || keys.dim(1) != key_size_) {
    return InvalidArgument("Expected keys of shape [?,", key_size_, "], got ",
                           keys.shape().DebugString());
  }
  return CheckBuckets(keys.dim(0));
}

Status DenseTable::Import(KernelContext& ctx, const Tensor& keys,
                          const Tensor& values) {
  Buckets b;
  b.keys = keys;
  b.values = values;
  b.count = keys.dim(0);
  ByKeyType(keys.dtype(), [&]<class T>() {
    const DenseKeys<T> reserved(nullptr, 0, key_size_, Elements<T>(empty_key_),
                                Elements<T>(deleted_key_));
    for (int64_t i = 0; i < b.count; ++i) {
      const T* const key = Elements<T>(keys) + i * key_size_;
      if (reserved.IsEmpty(key)) continue;
      ++(reserved.IsDeleted(key) ? b.deleted : b.used);
    }
  });
  MR_RETURN_IF_ERROR(ctx.CheckCancelled());
  WriterLock lock(mu_);
  std::swap(buckets_, b);
  return OkStatus();
}

Status DenseTable::Export(KernelContext&, Tensor* keys, Tensor* values) const {
  ReaderLock lock(mu_);
  *keys = buckets_.keys;
  *values = buckets_.values;
  return OkStatus();
}

}  // namespace millrace::ops

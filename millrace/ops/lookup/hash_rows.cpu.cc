#include "millrace/ops/lookup/hash_rows.h"

#include <algorithm>
#include <string>

#include "millrace/ops/array/move.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

constexpr int64_t kFindRowNanos = 40;
constexpr int64_t kRowsAtOnce = 256;
constexpr int64_t kMaxRows = int64_t{1} << 48;  // far beyond any memory

// Returns an element as text for messages.
std::string ElementText(const Tensor& t, int64_t i) {
  const auto at = static_cast<size_t>(i);
  switch (t.dtype()) {
    case DataType::kString:
      return std::string(t.flat<StringElement>()[at].view().substr(0, 256));
    case DataType::kBool:
      return absl::StrCat(t.flat<bool>()[at]);
    case DataType::kInt32:
      return absl::StrCat(t.flat<int32_t>()[at]);
    case DataType::kInt64:
      return absl::StrCat(t.flat<int64_t>()[at]);
    case DataType::kFloat:
      return absl::StrCat(t.flat<float>()[at]);
    case DataType::kDouble:
      return absl::StrCat(t.flat<double>()[at]);
    default:
      return "?";
  }
}

// Compares as numbers: NaN is not equal to itself.
bool EqualElements(const Tensor& a, int64_t i, const Tensor& b, int64_t j) {
  const auto x = static_cast<size_t>(i), y = static_cast<size_t>(j);
  bool equal = false;
  Dispatch<bool, int32_t, int64_t, float, double,
           StringElement>(a.dtype(), [&]<class T>() {
    equal = a.flat<T>()[x] == b.flat<T>()[y];
    return OkStatus();
  }).IgnoreError();
  return equal;
}

}  // namespace

HashRows::HashRows(DataType key_dtype, DataType value_dtype,
                   int64_t value_elements)
    : width_(value_elements),
      index_(MakeKeyIndex(key_dtype)),
      values_(Tensor::New(value_dtype, TensorShape({0, value_elements}))) {}

Status HashRows::Charge(int64_t more) {
  const int64_t index = capacity_ == 0 ? 0 : KeyIndexBytes(capacity_);
  return charge_.Set(index + more, "a lookup table");
}

Status HashRows::Reserve(Allocator* allocator, int64_t rows) {
  if (rows <= capacity_) return OkStatus();
  if (rows > kMaxRows) {
    return ResourceExhausted("a lookup table of ", rows, " keys");
  }
  MR_RETURN_IF_ERROR(Charge(KeyIndexBytes(rows)));
  Status status = index_->Reserve(allocator, rows);
  if (status.ok()) {
    status = GrowRows(allocator, rows, width_, size() * width_, &values_);
  }
  if (status.ok()) capacity_ = rows;
  const Status less = Charge(0);
  return status.ok() ? less : status;
}

Status HashRows::MakeRoom(Allocator* allocator, const Tensor& keys,
                          const Tensor& values, int64_t begin, int64_t end) {
  const int64_t rows = size() + (end - begin);
  if (rows > capacity_) {
    MR_RETURN_IF_ERROR(
        Reserve(allocator, std::max({rows, capacity_ * 2, int64_t{8}})));
  }
  return Charge(TextBytes(keys, begin, end) +
                TextBytes(values, begin * width_, end * width_));
}

void HashRows::SetRow(int64_t row, const Tensor& values, int64_t i) {
  CopyElements(values.dtype(), values.data(), i * width_,
               values_.mutable_data(), row * width_, width_);
}

Status HashRows::Put(Allocator* allocator, const Tensor& keys,
                     const Tensor& values, int64_t begin, int64_t end) {
  MR_RETURN_IF_ERROR(MakeRoom(allocator, keys, values, begin, end));
  for (int64_t i = begin; i < end; ++i) {
    SetRow(index_->Add(keys, i), values, i);
  }
  return Charge(0);
}

Status HashRows::PutOnce(Allocator* allocator, const Tensor& keys,
                         const Tensor& values, int64_t begin, int64_t end) {
  MR_RETURN_IF_ERROR(MakeRoom(allocator, keys, values, begin, end));
  for (int64_t i = begin; i < end; ++i) {
    const int64_t before = size();
    const int64_t row = index_->Add(keys, i);
    if (row == before) {
      SetRow(row, values, i);
    } else if (!EqualElements(values_, row, values, i)) {
      return FailedPrecondition(
          "HashTable has different value for same key. Key ",
          ElementText(keys, i), " has ", ElementText(values_, row),
          " and trying to add value ", ElementText(values, i));
    }
  }
  return Charge(0);
}

void HashRows::Remove(const Tensor& keys, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    const int64_t row = index_->Remove(keys, i);
    if (row < 0) continue;
    const int64_t last = size();
    DispatchBySize(values_.dtype(), [&]<class T>() {
      T* const all = reinterpret_cast<T*>(values_.mutable_data());
      T* const end_of_last = all + (last + 1) * width_;
      if (row != last) {
        std::move(end_of_last - width_, end_of_last, all + row * width_);
      }
      if constexpr (!std::is_trivially_copyable_v<T>) {
        std::fill(end_of_last - width_, end_of_last, T());
      }
      return OkStatus();
    }).IgnoreError();
  }
  Charge(0).IgnoreError();  // less than before
}

Status HashRows::Find(KernelContext& ctx, const Tensor& keys,
                      const Tensor& defaults, Tensor* values) const {
  char* const out = values->mutable_data();
  // There is one default for all keys, or one for each.
  const bool full = defaults.num_elements() == values->num_elements();
  const int64_t cost = kFindRowNanos + MoveCost(values->dtype(), width_);
  return DispatchBySize(values->dtype(), [&]<class T>() {
    return ctx.ParallelFor(
        keys.num_elements(), cost, [&](int64_t begin, int64_t end) {
          const T* const own = reinterpret_cast<const T*>(values_.data());
          const T* const other = reinterpret_cast<const T*>(defaults.data());
          T* const to = reinterpret_cast<T*>(out);
          int64_t rows[kRowsAtOnce];
          for (; begin < end; begin += kRowsAtOnce) {
            const int64_t stop = std::min(end, begin + kRowsAtOnce);
            index_->Find(keys, begin, stop, rows);
            for (int64_t i = begin; i < stop; ++i) {
              const int64_t row = rows[i - begin];
              const T* const from = row >= 0 ? own + row * width_
                                             : other + (full ? i * width_ : 0);
              std::copy_n(from, width_, to + i * width_);
            }
          }
        });
  });
}

void HashRows::Export(Tensor* keys, Tensor* values) const {
  index_->Export(keys);
  CopyElements(values->dtype(), values_.data(), 0, values->mutable_data(), 0,
               size() * width_);
}

}  // namespace millrace::ops

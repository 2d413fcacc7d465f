#include "millrace/ops/lookup/key_index.h"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "absl/container/flat_hash_set.h"
#include "millrace/ops/array/move.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// The set holds numbers and compares the keys that they stand for.
template <class T>
class TypedIndex final : public KeyIndex {
 public:
  TypedIndex() : numbers_(0, Hash{this}, Equal{this}) {}

  int64_t size() const override {
    return static_cast<int64_t>(numbers_.size());
  }

  void Find(const Tensor& keys, int64_t begin, int64_t end,
            int64_t* numbers) const override {
    const T* const from = keys.flat<T>().data();
    for (int64_t i = begin; i < end; ++i) {
      const auto it = numbers_.find(Probe{View(from[i])});
      *numbers++ = it == numbers_.end() ? -1 : *it;
    }
  }

  int64_t Add(const Tensor& keys, int64_t i) override {
    const T& key = keys.flat<T>()[static_cast<size_t>(i)];
    const auto it = numbers_.find(Probe{View(key)});
    if (it != numbers_.end()) return *it;
    const int64_t number = size();
    elements()[number] = key;
    numbers_.insert(number);
    return number;
  }

  int64_t Remove(const Tensor& keys, int64_t i) override {
    const auto it =
        numbers_.find(Probe{View(keys.flat<T>()[static_cast<size_t>(i)])});
    if (it == numbers_.end()) return -1;
    const int64_t number = *it;
    const int64_t last = size() - 1;
    numbers_.erase(it);
    if (number != last) {
      numbers_.erase(last);
      elements()[number] = std::move(elements()[last]);
      numbers_.insert(number);
    }
    if constexpr (kIsText) elements()[last] = T();
    return number;
  }

  Status Reserve(Allocator* allocator, int64_t keys) override {
    MR_RETURN_IF_ERROR(GrowRows(allocator, keys, 1, size(), &keys_));
    numbers_.reserve(static_cast<size_t>(keys));
    return OkStatus();
  }

  void Export(Tensor* keys) const override {
    CopyElements(keys->dtype(), keys_.data(), 0, keys->mutable_data(), 0,
                 size());
  }

 private:
  static constexpr bool kIsText = std::is_same_v<T, StringElement>;
  using KeyView = std::conditional_t<kIsText, absl::string_view, T>;
  struct Probe {
    KeyView key;
  };
  struct Hash {
    using is_transparent = void;
    const TypedIndex* index;
    size_t operator()(Probe p) const { return absl::Hash<KeyView>()(p.key); }
    size_t operator()(int64_t number) const {
      return (*this)(Probe{View(index->elements()[number])});
    }
  };
  struct Equal {
    using is_transparent = void;
    const TypedIndex* index;
    bool operator()(int64_t a, int64_t b) const { return a == b; }
    bool operator()(int64_t a, Probe b) const {
      return View(index->elements()[a]) == b.key;
    }
    bool operator()(Probe a, int64_t b) const { return (*this)(b, a); }
  };

  static KeyView View(const T& key) {
    if constexpr (kIsText) {
      return key.view();
    } else {
      return key;
    }
  }
  const T* elements() const { return reinterpret_cast<const T*>(keys_.data()); }
  T* elements() { return reinterpret_cast<T*>(keys_.mutable_data()); }

  Tensor keys_{Tensor::New(DataTypeOf<T>, TensorShape({0, 1}))};
  absl::flat_hash_set<int64_t, Hash, Equal> numbers_;
};

}  // namespace

std::unique_ptr<KeyIndex> MakeKeyIndex(DataType type) {
  switch (type) {
    case DataType::kInt32:
      return std::make_unique<TypedIndex<int32_t>>();
    case DataType::kInt64:
      return std::make_unique<TypedIndex<int64_t>>();
    case DataType::kString:
      return std::make_unique<TypedIndex<StringElement>>();
    default:
      MR_CHECK(false, "no index of keys of type ", DataTypeName(type));
      return nullptr;
  }
}

int64_t KeyIndexBytes(int64_t keys) {
  // A hash set is filled up to seven eighths of a power of two, with a number
  // and a byte for each slot.
  const uint64_t slots = static_cast<uint64_t>(keys) / 7 * 8 + 8;
  return static_cast<int64_t>(std::bit_ceil(slots) * (sizeof(int64_t) + 1));
}

int64_t TextBytes(const Tensor& t, int64_t begin, int64_t end) {
  if (t.dtype() != DataType::kString) return 0;
  const auto text = t.flat<StringElement>();
  int64_t bytes = 0;
  for (int64_t i = begin; i < end; ++i) {
    bytes += static_cast<int64_t>(text[static_cast<size_t>(i)].size());
  }
  return bytes;
}

Status GrowRows(Allocator* allocator, int64_t rows, int64_t columns,
                int64_t used, Tensor* t) {
  MR_ASSIGN_OR_RETURN(const TensorShape shape,
                      TensorShape::Make({rows, columns}));
  MR_ASSIGN_OR_RETURN(Tensor larger,
                      Tensor::Allocate(allocator, t->dtype(), shape));
  MR_RETURN_IF_ERROR(DispatchBySize(t->dtype(), [&]<class T>() {
    T* const from = reinterpret_cast<T*>(t->mutable_data());
    std::move(from, from + used, reinterpret_cast<T*>(larger.mutable_data()));
    return OkStatus();
  }));
  *t = std::move(larger);
  return OkStatus();
}

}  // namespace millrace::ops

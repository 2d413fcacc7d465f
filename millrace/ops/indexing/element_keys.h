// Elements as keys of hash tables: two elements are equal exactly if both have
// a key and the keys are equal. For floating types NaN has no key, and both
// zeros have the same key, except for half and bfloat16, where they differ, as
// in stock.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// The keys of plain types of up to 8 bytes (not complex); U is the unsigned
// type of the element's size.
template <class U>
class PlainKeys {
 public:
  using Key = U;
  explicit PlainKeys(const Tensor& t)
      : x_(reinterpret_cast<const U*>(t.data())) {
    switch (t.dtype()) {
      case DataType::kHalf:
        SetExponent(0x7c00);
        break;
      case DataType::kBfloat16:
        SetExponent(0x7f80);
        break;
      case DataType::kFloat:
        SetExponent(0x7f800000u);
        break;
      case DataType::kDouble:
        SetExponent(0x7ff0000000000000u);
        break;
      default:
        break;
    }
  }
  std::optional<U> operator()(int64_t i) const {
    U bits = x_[i];
    if (exponent_ != 0) {
      const U magnitude = bits & magnitude_;
      if (magnitude > exponent_) return std::nullopt;
      if (magnitude == 0 && sizeof(U) > 2) bits = 0;
    }
    return bits;
  }

 private:
  void SetExponent(uint64_t mask) {
    exponent_ = static_cast<U>(mask);
    magnitude_ = static_cast<U>(static_cast<U>(~U{0}) >> 1);
  }
  const U* x_;
  U exponent_ = 0;  // 0: not a floating type
  U magnitude_ = 0;
};

// A table that grows does not read its strings again.
class StringKeys {
 public:
  struct Key {
    absl::string_view text;
    size_t hash;

    bool operator==(const Key& o) const {
      return hash == o.hash && text == o.text;
    }
    template <class H>
    friend H AbslHashValue(H h, const Key& key) {
      return H::combine(std::move(h), key.hash);
    }
  };
  explicit StringKeys(const Tensor& t) : x_(t.flat<StringElement>().data()) {}
  std::optional<Key> operator()(int64_t i) const {
    const absl::string_view text = x_[i].view();
    return Key{text, absl::HashOf(text)};
  }

 private:
  const StringElement* x_;
};

// The keys of slices [outer, i, inner] of a tensor [outer, count, inner], whose
// elements have the keys K. Must outlive its keys, which refer to it and the
// tensor.
template <class K>
class SliceKeys {
 public:
  struct Key {
    const SliceKeys* slices;
    int64_t i;
    size_t hash;

    bool operator==(const Key& o) const {
      return hash == o.hash && slices->Equal(i, o.i);
    }
    template <class H>
    friend H AbslHashValue(H h, const Key& key) {
      return H::combine(std::move(h), key.hash);
    }
  };

  SliceKeys(const Tensor& t, int64_t outer, int64_t count, int64_t inner)
      : keys_(t), outer_(inner > 0 ? outer : 0), count_(count), inner_(inner) {}
  std::optional<Key> operator()(int64_t i) const {
    size_t hash = 0;
    for (int64_t o = 0; o < outer_; ++o) {
      for (int64_t j = 0; j < inner_; ++j) {
        const auto key = keys_(At(o, i, j));
        if (!key) return std::nullopt;
        hash = absl::HashOf(hash, *key);
      }
    }
    return Key{this, i, hash};
  }

 private:
  int64_t At(int64_t o, int64_t i, int64_t j) const {
    return (o * count_ + i) * inner_ + j;
  }
  bool Equal(int64_t a, int64_t b) const {
    for (int64_t o = 0; o < outer_; ++o) {
      for (int64_t j = 0; j < inner_; ++j) {
        if (*keys_(At(o, a, j)) != *keys_(At(o, b, j))) return false;
      }
    }
    return true;
  }

  K keys_;
  int64_t outer_, count_, inner_;
};

// Calls f.template operator()<K>() with the class K of the type's keys.
template <class F>
Status DispatchKeys(DataType type, F&& f) {
  if (type == DataType::kString) return f.template operator()<StringKeys>();
  switch (SizeOf(type)) {
    case 1:
      return f.template operator()<PlainKeys<uint8_t>>();
    case 2:
      return f.template operator()<PlainKeys<uint16_t>>();
    case 4:
      return f.template operator()<PlainKeys<uint32_t>>();
    case 8:
      return f.template operator()<PlainKeys<uint64_t>>();
    default:
      return Internal("no keys for dtype ", DataTypeName(type));
  }
}

}  // namespace millrace::ops

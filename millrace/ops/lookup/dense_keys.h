// DenseKeys: finds the bucket of a key in a dense table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "millrace/ops/string/string_hash.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// T is int32_t, int64_t or StringElement. Refers to tensors that it does not
// own.
template <class T>
class DenseKeys {
 public:
  // `buckets` has `width` elements for each key; `deleted` may be null.
  DenseKeys(const T* buckets, int64_t count, int64_t width, const T* empty,
            const T* deleted)
      : buckets_(buckets),
        count_(count),
        width_(width),
        empty_(empty),
        deleted_(deleted) {}

  bool IsEmpty(const T* key) const { return Equal(key, empty_); }
  bool IsDeleted(const T* key) const {
    return deleted_ != nullptr && Equal(key, deleted_);
  }

  struct Place {
    int64_t bucket = -1;  // the key's, or one for it; -1: none
    bool found = false;
  };
  Place Find(const T* key) const {
    const auto mask = static_cast<uint64_t>(count_ - 1);
    uint64_t at = Hash(key) & mask;
    Place place;
    for (int64_t probes = 1; probes <= count_; ++probes) {
      const T* const other = buckets_ + static_cast<int64_t>(at) * width_;
      if (Equal(other, key)) {
        return {.bucket = static_cast<int64_t>(at), .found = true};
      }
      const bool empty = IsEmpty(other);
      if (place.bucket < 0 && (empty || IsDeleted(other))) {
        place.bucket = static_cast<int64_t>(at);
      }
      if (empty) break;
      at = (at + static_cast<uint64_t>(probes)) & mask;
    }
    return place;
  }

 private:
  // Stock's hash functions, which determine the order of buckets.
  static uint64_t HashElement(const T& element) {
    if constexpr (std::is_same_v<T, StringElement>) {
      return MurmurHash(element.view());
    } else {
      return static_cast<uint64_t>(element);
    }
  }
  uint64_t Hash(const T* key) const {
    if (width_ == 1) return HashElement(*key);
    uint64_t hash = 0;
    for (int64_t i = 0; i < width_; ++i) {
      hash ^= HashElement(key[i]) + 0x9e3779b97f4a7800u + (hash << 10) +
              (hash >> 4);
    }
    return hash;
  }
  bool Equal(const T* a, const T* b) const {
    if (width_ == 1) return *a == *b;
    return std::equal(a, a + width_, b);
  }

  const T* const buckets_;
  const int64_t count_, width_;
  const T* const empty_;
  const T* const deleted_;
};

}  // namespace millrace::ops

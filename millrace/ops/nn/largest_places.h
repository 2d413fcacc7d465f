// Finds the largest elements of a row, also of millions, of which it looks at
// each once or twice.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// A key is an unsigned number; keys have the order of their elements. Of
// floating-point numbers -0 equals 0, and NaN is above all, whatever its sign.
template <class T>
using OrderKey = std::conditional_t<(sizeof(T) > 4), uint64_t, uint32_t>;

template <class T>
OrderKey<T> OrderKeyOf(T x) {
  using K = OrderKey<T>;
  constexpr int kTop = static_cast<int>(sizeof(K)) * 8 - 1;
  constexpr K kSign = K{1} << kTop;
  if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T>) {
    return x;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<K>(static_cast<std::make_signed_t<K>>(x)) ^ kSign;
  } else {
    using F = std::conditional_t<(sizeof(T) > 4), double, float>;
    const F value = static_cast<F>(x) + F{0};  // 0 for -0
    const K bits = std::bit_cast<K>(value);
    // All bits of a negative number are turned round, of others the sign.
    const K key = bits ^ ((K{0} - (bits >> kTop)) | kSign);
    return value == value ? key : ~K{0};
  }
}

// An element's key and place in its row. The larger of two has the larger key,
// of equal ones the lower place, so no two are equal.
class PackedElement {  // of up to 2^32 keys of 32 bits
 public:
  PackedElement() = default;
  PackedElement(uint32_t key, int64_t place)
      : order_(uint64_t{key} << 32 | (kLast - static_cast<uint64_t>(place))) {}
  int64_t place() const {
    return static_cast<int64_t>(kLast - (order_ & kLast));
  }
  friend bool operator>(PackedElement a, PackedElement b) {
    return a.order_ > b.order_;
  }

 private:
  static constexpr uint64_t kLast = 0xffffffff;
  uint64_t order_ = 0;
};
class LongElement {
 public:
  LongElement() = default;
  LongElement(uint64_t key, int64_t place) : key_(key), place_(place) {}
  int64_t place() const { return place_; }
  friend bool operator>(const LongElement& a, const LongElement& b) {
    return a.key_ > b.key_ || (a.key_ == b.key_ && a.place_ < b.place_);
  }

 private:
  uint64_t key_ = 0;
  int64_t place_ = 0;
};

// Returns a key below which, as a sample says, none of the k largest of n
// elements is, but most others are; 0 where looking for it does not pay.
template <class T>
OrderKey<T> LikelyLeastKey(const T* row, int64_t n, int64_t k) {
  constexpr int64_t kFew = 4096;
  constexpr int64_t kMostSamples = 1 << 14;
  if (n < kFew) return 0;
  const int64_t count = std::min(n / 16, kMostSamples);
  const double expected = static_cast<double>(k) * static_cast<double>(count) /
                          static_cast<double>(n);
  // Four deviations from what is expected.
  const auto rank =
      static_cast<int64_t>(expected + 4 * std::sqrt(expected)) + 8;
  if (rank >= count) return 0;
  CountedVector<OrderKey<T>> sample(static_cast<size_t>(count));
  const auto step = static_cast<uint64_t>(n / count);
  for (uint64_t i = 0; i < static_cast<uint64_t>(count); ++i) {
    // Not at regular places, which might be those of one column of a matrix.
    const uint64_t jump = (i * 0x9e3779b97f4a7c15u >> 32) % step;
    sample[i] = OrderKeyOf(row[i * step + jump]);
  }
  std::nth_element(sample.begin(), sample.begin() + rank, sample.end(),
                   std::greater<>());
  return sample[static_cast<size_t>(rank)];
}

// Appends those of the elements [begin, end) whose key is `least` or more.
template <class E, class T>
void AppendElements(const T* row, int64_t begin, int64_t end, OrderKey<T> least,
                    CountedVector<E>* found) {
  const auto append = [&](int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) {
      const OrderKey<T> key = OrderKeyOf(row[i]);
      if (key >= least) found->emplace_back(key, i);
    }
  };
  // Most groups have none, which the compiler finds by vectors.
  constexpr int64_t kGroup = 16;
  int64_t at = begin;
  for (; at + kGroup <= end; at += kGroup) {
    int any = 0;
    for (int64_t i = 0; i < kGroup; ++i)
      any |= static_cast<int>(OrderKeyOf(row[at + i]) >= least);
    if (any != 0) append(at, at + kGroup);
  }
  append(at, end);
}

enum class RowThreads { kOne, kMany };

// Returns all elements whose key is `least` or more, in the order of places;
// with kMany on the threads of `ctx`, unless that is cancelled.
template <class E, class T>
StatusOr<CountedVector<E>> ElementsFrom(KernelContext& ctx, const T* row,
                                        int64_t n, OrderKey<T> least,
                                        RowThreads threads) {
  constexpr int64_t kPiece = 1 << 16;
  CountedVector<E> found;
  if (least == 0) {  // all of them
    found.resize(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i)
      found[static_cast<size_t>(i)] = E(OrderKeyOf(row[i]), i);
    return found;
  }
  if (threads == RowThreads::kOne || n <= kPiece) {
    AppendElements(row, 0, n, least, &found);
    return found;
  }
  const int64_t pieces = (n + kPiece - 1) / kPiece;
  CountedVector<CountedVector<E>> parts(static_cast<size_t>(pieces));
  MR_RETURN_IF_ERROR(
      ctx.ParallelFor(pieces, kPiece, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          AppendElements(row, i * kPiece, std::min(n, (i + 1) * kPiece), least,
                         &parts[static_cast<size_t>(i)]);
        }
      }));
  for (const CountedVector<E>& part : parts)
    found.insert(found.end(), part.begin(), part.end());
  return found;
}

enum class ResultOrder { kBySize, kByPlace };

// Leaves of distinct elements, which are in the order of places, the k largest.
template <class E>
void KeepLargest(CountedVector<E>& elements, int64_t k, ResultOrder order) {
  const auto count = static_cast<int64_t>(elements.size());
  if (order == ResultOrder::kByPlace) {
    if (k == count) return;
    CountedVector<E> copy = elements;
    std::nth_element(copy.begin(), copy.begin() + k, copy.end(),
                     std::greater<>());
    const E next = copy[static_cast<size_t>(k)];  // the largest of the others
    std::erase_if(elements, [next](const E& e) { return !(e > next); });
    return;
  }
  const auto last = elements.begin() + k;
  if (k * 4 < count) {
    std::partial_sort(elements.begin(), last, elements.end(), std::greater<>());
  } else {
    if (k < count) {
      std::nth_element(elements.begin(), last, elements.end(),
                       std::greater<>());
    }
    std::sort(elements.begin(), last, std::greater<>());
  }
  elements.resize(static_cast<size_t>(k));
}

// Returns the k largest elements of a row: the largest first, of equal ones
// that of the lower place; or in the order of places. Returns CANCELLED (or the
// reason) for kMany if the step was cancelled. Requires: 0 <= k <= n, and
// places that fit into E.
template <class E, class T>
StatusOr<CountedVector<E>> LargestElements(KernelContext& ctx, const T* row,
                                           int64_t n, int64_t k,
                                           ResultOrder order,
                                           RowThreads threads) {
  const OrderKey<T> least = LikelyLeastKey(row, n, k);
  MR_ASSIGN_OR_RETURN(CountedVector<E> found,
                      (ElementsFrom<E>(ctx, row, n, least, threads)));
  if (static_cast<int64_t>(found.size()) < k) {  // the sample was wrong
    MR_ASSIGN_OR_RETURN(
        found, (ElementsFrom<E>(ctx, row, n, OrderKey<T>{0}, threads)));
  }
  KeepLargest(found, k, order);
  return found;
}

}  // namespace millrace::ops

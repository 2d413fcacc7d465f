// StringElement: one element of a string tensor. It takes 16 bytes, and has its
// text in them, owns it or is a view.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "millrace/tensor/string_memory.h"

namespace millrace {

// A text of up to kMaxInside bytes lies in the element itself. A longer one is
// owned, or views bytes that the tensor's buffer keeps alive; a copy always
// owns its bytes. Owned bytes count in the memory budget (string_memory.h);
// under a ScopedMemoryLimit a failure throws std::bad_alloc. What `view` and
// `data` return is valid until the element is changed, moved or destroyed. Not
// thread-safe for writes.
class StringElement {
 public:
  static constexpr size_t kMaxInside = 15;

  StringElement() = default;
  explicit StringElement(absl::string_view s) { Assign(s); }
  StringElement(const StringElement& o) { Copy(o); }
  StringElement(StringElement&& o) noexcept
      : low_(std::exchange(o.low_, 0)), high_(std::exchange(o.high_, 0)) {}
  StringElement& operator=(const StringElement& o) {
    if (this != &o) Copy(o);
    return *this;
  }
  StringElement& operator=(StringElement&& o) noexcept {
    std::swap(low_, o.low_);
    std::swap(high_, o.high_);
    return *this;
  }
  StringElement& operator=(absl::string_view s) {
    Assign(s);
    return *this;
  }
  ~StringElement() { Free(); }

  absl::string_view view() const { return {data(), size()}; }
  operator absl::string_view() const { return view(); }  // NOLINT
  size_t size() const {
    return is_inside() ? (high_ >> kInsideSizeAt) & kMaxInside
                       : high_ & ~(kOwned | kCounted | kInside);
  }
  const char* data() const {
    return is_inside() ? reinterpret_cast<const char*>(this) : pointer();
  }
  std::string str() const { return std::string(view()); }

  // Makes the element a view, or takes a text that is so short into it. `s`
  // must outlive it (it lies in the same reference-counted buffer).
  void SetView(absl::string_view s) {
    if (s.size() <= kMaxInside) return Assign(s);
    Free();
    low_ = reinterpret_cast<uintptr_t>(s.data());
    high_ = s.size();
  }
  // `s` may lie in the element.
  void Assign(absl::string_view s) {
    uint64_t low = 0, high = 0;
    if (s.size() > kMaxInside) {
      bool counted = false;
      char* const copy = internal::NewString(s.size(), &counted);
      std::memcpy(copy, s.data(), s.size());
      low = reinterpret_cast<uintptr_t>(copy);
      high = s.size() | kOwned | (counted ? kCounted : 0);
    } else if (!s.empty()) {
      LoadInside(s.data(), s.size(), &low, &high);
      high |= kInside | uint64_t{s.size()} << kInsideSizeAt;
    }
    Free();
    low_ = low;
    high_ = high;
  }

  friend bool operator==(const StringElement& a, const StringElement& b) {
    return a.view() == b.view();
  }

 private:
  // The flags and the size of a text inside are the last byte.
  static_assert(std::endian::native == std::endian::little);
  static constexpr uint64_t kOwned = uint64_t{1} << 63;
  static constexpr uint64_t kCounted = uint64_t{1} << 62;
  static constexpr uint64_t kInside = uint64_t{1} << 61;
  static constexpr int kInsideSizeAt = 56;

  // Sets *low and *high to the first 8 and the other bytes of a text of 1 to 15
  // bytes, and zeros. Reads of some bytes twice take the place of a call.
  static void LoadInside(const char* s, size_t size, uint64_t* low,
                         uint64_t* high) {
    const auto load = [s]<class T>(T part, size_t at) -> uint64_t {
      std::memcpy(&part, s + at, sizeof(T));
      return part;
    };
    if (size > 8) {
      *low = load(uint64_t(), 0);
      *high = load(uint64_t(), size - 8) >> (8 * (16 - size));
    } else if (size >= 4) {
      *low = load(uint32_t(), 0) | load(uint32_t(), size - 4)
                                       << (8 * (size - 4));
    } else {
      *low = load(uint8_t(), 0) |
             load(uint8_t(), size / 2) << (8 * (size / 2)) |
             load(uint8_t(), size - 1) << (8 * (size - 1));
    }
  }

  bool is_inside() const { return (high_ & kInside) != 0; }
  char* pointer() const { return reinterpret_cast<char*>(low_); }
  void Copy(const StringElement& o) {
    if (!o.is_inside()) return Assign(o.view());
    Free();
    low_ = o.low_;
    high_ = o.high_;
  }
  void Free() {
    if (high_ & kOwned) {
      internal::DeleteString(pointer(), size(), (high_ & kCounted) != 0);
    }
  }

  // A text inside is in the first 15 bytes of both; else an address and a size.
  uint64_t low_ = 0, high_ = 0;
};
static_assert(sizeof(StringElement) == 16);

}  // namespace millrace

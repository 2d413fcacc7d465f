// CheckedSize: computes sizes from untrusted values, so that overflow is an
// error and not a small number.
//
//   MR_ASSIGN_OR_RETURN(int64_t bytes, (CheckedSize(rows) * columns *
//   4).Get("bytes"));
#pragma once

#include <cstdint>
#include <limits>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace {

// A non-negative int64. After an overflow or a negative result it stays
// invalid.
class CheckedSize {
 public:
  constexpr CheckedSize() = default;
  constexpr CheckedSize(int64_t value)  // NOLINT: from any size
      : value_(value), ok_(value >= 0) {}

  constexpr CheckedSize& operator*=(CheckedSize o) {
    ok_ = !__builtin_mul_overflow(value_, o.value_, &value_) && ok_ && o.ok_;
    return *this;
  }
  constexpr CheckedSize& operator+=(CheckedSize o) {
    ok_ = !__builtin_add_overflow(value_, o.value_, &value_) && ok_ && o.ok_;
    return *this;
  }
  constexpr CheckedSize& operator-=(CheckedSize o) {
    ok_ = !__builtin_sub_overflow(value_, o.value_, &value_) && ok_ && o.ok_ &&
          value_ >= 0;
    return *this;
  }
  friend constexpr CheckedSize operator*(CheckedSize a, CheckedSize b) {
    return a *= b;
  }
  friend constexpr CheckedSize operator+(CheckedSize a, CheckedSize b) {
    return a += b;
  }
  friend constexpr CheckedSize operator-(CheckedSize a, CheckedSize b) {
    return a -= b;
  }
  constexpr CheckedSize Mul(CheckedSize o) const { return *this * o; }
  constexpr CheckedSize Add(CheckedSize o) const { return *this + o; }

  constexpr bool ok() const { return ok_; }
  // Requires: ok().
  constexpr int64_t value() const { return value_; }
  // Returns the value, or INVALID_ARGUMENT that names `what`.
  StatusOr<int64_t> Get(absl::string_view what = "size") const {
    if (!ok_) {
      return InvalidArgument(
          "Overflow or negative value in the computation of ", what,
          "; it must lie between 0 and 2^63 - 1");
    }
    return value_;
  }

 private:
  int64_t value_ = 0;
  bool ok_ = true;
};

// Returns a + b, or the nearest int64 if the sum overflows.
constexpr int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b < 0 ? std::numeric_limits<int64_t>::min()
               : std::numeric_limits<int64_t>::max();
}

}  // namespace millrace

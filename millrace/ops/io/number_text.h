// Parses numbers of text files.
#pragma once

#include <bit>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"

namespace millrace::ops {
namespace internal {

inline bool ParseSlowly(absl::string_view text, float* v) {
  return absl::SimpleAtof(text, v);
}
inline bool ParseSlowly(absl::string_view text, double* v) {
  return absl::SimpleAtod(text, v);
}

}  // namespace internal

// Parses text of up to 15 digits and a point among them, as most numbers are.
// Returns false for any other, and where the nearest number needs more care.
template <std::floating_point T>
bool ParseFewDigits(absl::string_view text, T* v) {
  constexpr double kPowersOf10[] = {1,    1e1,  1e2,  1e3, 1e4,  1e5,
                                    1e6,  1e7,  1e8,  1e9, 1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15};
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty() || text.size() > 16) return false;
  int64_t digits = 0;
  size_t point = text.size();
  for (size_t i = 0; i < text.size(); ++i) {
    const unsigned digit = static_cast<unsigned char>(text[i]) - unsigned{'0'};
    if (digit <= 9) {
      digits = 10 * digits + digit;
    } else if (text[i] == '.' && point == text.size()) {
      point = i;
    } else {
      return false;
    }
  }
  const bool has_point = point < text.size();
  if (text.size() - (has_point ? 1 : 0) - 1 > 14) return false;
  // Both numbers are exact, so the quotient is the nearest double.
  const double value = static_cast<double>(digits) /
                       kPowersOf10[has_point ? text.size() - point - 1 : 0];
  // Half way between two floats it does not say which one is nearer.
  if (sizeof(T) == 4 &&
      (std::bit_cast<uint64_t>(value) & 0x1fffffff) == 0x10000000) {
    return false;
  }
  *v = static_cast<T>(negative ? -value : value);
  return true;
}

// Returns false for text that is no number of the type.
bool ParseNumber(absl::string_view text, std::floating_point auto* v) {
  if (ParseFewDigits(text, v)) return true;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *v);
  // Text that is not parsed completely, because of a plus sign, blanks or a
  // value out of range, may still be a number.
  return (error == std::errc() && stop == end) ||
         internal::ParseSlowly(text, v);
}
bool ParseNumber(absl::string_view text, std::integral auto* v) {
  return absl::SimpleAtoi(text, v);
}

}  // namespace millrace::ops

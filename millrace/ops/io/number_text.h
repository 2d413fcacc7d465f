// Parses numbers of text files.
#pragma once

#include <charconv>
#include <concepts>
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

// Returns false for text that is no number of the type.
bool ParseNumber(absl::string_view text, std::floating_point auto* v) {
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

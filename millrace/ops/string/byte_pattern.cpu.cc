#include "millrace/ops/string/byte_pattern.h"

#include <re2/re2.h>

#include <algorithm>

#include "absl/strings/ascii.h"

namespace millrace::ops {
namespace {

bool IsOneOf(char c, absl::string_view set) {
  return set.find(c) != absl::string_view::npos;
}

// What remains to be read of a pattern.
struct Rest {
  absl::string_view text;
  bool negated = false;

  // Reads an escape of one character or class behind its backslash.
  bool Escape() {
    if (text.empty()) return false;
    const char c = text[0];
    text.remove_prefix(1);
    negated |= IsOneOf(c, "SDW");
    return IsOneOf(c, "sdwSDWntr") ||
           absl::ascii_ispunct(static_cast<unsigned char>(c));
  }

  // Reads a class in brackets behind the opening one. No class of POSIX's, in
  // brackets of its own, is read.
  bool Brackets() {
    if (!text.empty() && text[0] == '^') {
      negated = true;
      text.remove_prefix(1);
    }
    for (bool first = true; !text.empty(); first = false) {
      const char c = text[0];
      text.remove_prefix(1);
      if (c == ']') return !first;
      if (c == '[' || (c == '\\' && !Escape())) return false;
    }
    return false;
  }

  bool Character() {
    if (text.empty()) return false;
    const char c = text[0];
    text.remove_prefix(1);
    if (c == '[') return Brackets();
    if (c == '\\') return Escape();
    return !IsOneOf(c, ".^$*+?()]{}|");
  }
};

}  // namespace

std::optional<BytePattern> BytePattern::Make(absl::string_view pattern,
                                             const re2::RE2& compiled) {
  const auto is_plain = [](unsigned char c) { return c != 0 && c < 128; };
  Rest rest{pattern};
  if (!std::all_of(pattern.begin(), pattern.end(), is_plain) ||
      !rest.Character()) {
    return std::nullopt;
  }
  BytePattern p;
  p.runs_ = rest.text == "+";
  if (!p.runs_ && !rest.text.empty()) return std::nullopt;
  p.negated_ = rest.negated;
  for (int c = 0; c < 128; ++c) {
    const char text = static_cast<char>(c);
    p.bytes_[static_cast<size_t>(c)] =
        re2::RE2::FullMatch(re2::StringPiece(&text, 1), compiled);
  }
  return p;
}

bool BytePattern::Serves(absl::string_view text) const {
  if (!negated_) return true;
  unsigned char all = 0;
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return all < 128;
}

}  // namespace millrace::ops

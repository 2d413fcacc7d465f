#include "millrace/ops/string/case_mapping.h"

#include <wctype.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "millrace/base/utf8.h"

namespace millrace::ops {
namespace {

// Characters whose upper case is several characters, by code point (the
// unconditional part of Unicode's SpecialCasing.txt).
struct Expansion {
  char32_t from;
  char32_t to[3];
};
constexpr Expansion kUpper[] = {
    {0x00df, {'S', 'S'}},
    {0x0149, {0x02bc, 'N'}},
    {0x01f0, {'J', 0x030c}},
    {0x0390, {0x0399, 0x0308, 0x0301}},
    {0x03b0, {0x03a5, 0x308, 0x301}},
    {0x0587, {0x0535, 0x0552}},
    {0x1e96, {'H', 0x0331}},
    {0x1e97, {'T', 0x0308}},
    {0x1e98, {'W', 0x030a}},
    {0x1e99, {'Y', 0x030a}},
    {0x1e9a, {'A', 0x02be}},
    {0x1f50, {0x03a5, 0x0313}},
    {0x1f52, {0x3a5, 0x313, 0x300}},
    {0x1f54, {0x3a5, 0x313, 0x301}},
    {0x1f56, {0x3a5, 0x313, 0x342}},
    {0x1fb2, {0x1fba, 0x0399}},
    {0x1fb3, {0x0391, 0x0399}},
    {0x1fb4, {0x0386, 0x0399}},
    {0x1fb6, {0x0391, 0x0342}},
    {0x1fb7, {0x391, 0x342, 0x399}},
    {0x1fbc, {0x0391, 0x0399}},
    {0x1fc2, {0x1fca, 0x0399}},
    {0x1fc3, {0x0397, 0x0399}},
    {0x1fc4, {0x0389, 0x0399}},
    {0x1fc6, {0x0397, 0x0342}},
    {0x1fc7, {0x397, 0x342, 0x399}},
    {0x1fcc, {0x0397, 0x0399}},
    {0x1fd2, {0x399, 0x308, 0x300}},
    {0x1fd3, {0x399, 0x308, 0x301}},
    {0x1fd6, {0x0399, 0x0342}},
    {0x1fd7, {0x399, 0x308, 0x342}},
    {0x1fe2, {0x3a5, 0x308, 0x300}},
    {0x1fe3, {0x3a5, 0x308, 0x301}},
    {0x1fe4, {0x03a1, 0x0313}},
    {0x1fe6, {0x03a5, 0x0342}},
    {0x1fe7, {0x3a5, 0x308, 0x342}},
    {0x1ff2, {0x1ffa, 0x0399}},
    {0x1ff3, {0x03a9, 0x0399}},
    {0x1ff4, {0x038f, 0x0399}},
    {0x1ff6, {0x03a9, 0x0342}},
    {0x1ff7, {0x3a9, 0x342, 0x399}},
    {0x1ffc, {0x03a9, 0x0399}},
    {0xfb00, {'F', 'F'}},
    {0xfb01, {'F', 'I'}},
    {0xfb02, {'F', 'L'}},
    {0xfb03, {'F', 'F', 'I'}},
    {0xfb04, {'F', 'F', 'L'}},
    {0xfb05, {'S', 'T'}},
    {0xfb06, {'S', 'T'}},
    {0xfb13, {0x0544, 0x0546}},
    {0xfb14, {0x0544, 0x0535}},
    {0xfb15, {0x0544, 0x053b}},
    {0xfb16, {0x054e, 0x0546}},
    {0xfb17, {0x0544, 0x053d}},
};

// Handles Greek letters with iota subscript: their upper case is followed by an
// iota.
bool UpperWithIota(char32_t c, char32_t* letter) {
  if (c < 0x1f80 || c > 0x1faf) return false;
  const char32_t base = c < 0x1f90 ? 0x1f08 : c < 0x1fa0 ? 0x1f28 : 0x1f68;
  *letter = base + (c & 7);
  return true;
}

bool IsMark(char32_t c) {
  return (c >= 0x0300 && c <= 0x036f) || (c >= 0x1ab0 && c <= 0x1aff) ||
         (c >= 0x1dc0 && c <= 0x1dff) || (c >= 0x20d0 && c <= 0x20ff) ||
         (c >= 0xfe00 && c <= 0xfe0f) || (c >= 0xfe20 && c <= 0xfe2f);
}

// Returns whether a character is skipped in the search for the letters around a
// sigma.
bool IsCaseIgnorable(char32_t c) {
  return IsMark(c) || c == '\'' || c == '.' || c == ':' || c == '^' ||
         c == '`' || c == 0xa8 || c == 0xad || c == 0xaf || c == 0xb4 ||
         c == 0xb7 || c == 0xb8 || c == 0x2018 || c == 0x2019 || c == 0x2024 ||
         c == 0x2027 || (c >= 0x02b0 && c <= 0x02ff);
}

constexpr char32_t kCapitalSigma = 0x03a3;
constexpr char32_t kSmallSigma = 0x03c3;
constexpr char32_t kFinalSigma = 0x03c2;
constexpr char32_t kCapitalIWithDot = 0x0130;
constexpr char32_t kDotAbove = 0x0307;

}  // namespace

StatusOr<CaseMapping> CaseMapping::Make() {
  const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{});
  if (locale == locale_t{}) {
    return Unavailable("the C library has no locale C.UTF-8, which maps cases");
  }
  return CaseMapping(locale);
}

CaseMapping::~CaseMapping() {
  if (locale_ != locale_t{}) freelocale(locale_);
}

// Returns whether there is a letter before the sigma and none after it; marks
// in between are skipped.
bool CaseMapping::IsFinalSigma(absl::string_view before,
                               absl::string_view after) const {
  const auto cased = [this](char32_t c) {
    const auto w = static_cast<wint_t>(c);
    return iswlower_l(w, locale_) != 0 || iswupper_l(w, locale_) != 0;
  };
  bool letter_before = false;
  while (!before.empty()) {
    size_t at = before.size() - 1;
    while (at > 0 && IsTrailByte(before[at])) --at;
    absl::string_view last = before.substr(at);
    before = before.substr(0, at);
    const char32_t c = TakeCharacter(&last);
    if (IsCaseIgnorable(c)) continue;
    letter_before = cased(c);
    break;
  }
  if (!letter_before) return false;
  while (!after.empty()) {
    const char32_t c = TakeCharacter(&after);
    if (!IsCaseIgnorable(c)) return !cased(c);
  }
  return true;
}

std::string CaseMapping::Lower(absl::string_view text) const {
  std::string out;
  out.reserve(text.size());
  for (absl::string_view rest = text; !rest.empty();) {
    const absl::string_view before = text.substr(0, text.size() - rest.size());
    const char32_t c = TakeCharacter(&rest);
    if (c == kCapitalSigma) {
      AppendCharacter(IsFinalSigma(before, rest) ? kFinalSigma : kSmallSigma,
                      &out);
    } else if (c == kCapitalIWithDot) {
      AppendCharacter('i', &out);
      AppendCharacter(kDotAbove, &out);
    } else {
      AppendCharacter(
          static_cast<char32_t>(towlower_l(static_cast<wint_t>(c), locale_)),
          &out);
    }
  }
  return out;
}

std::string CaseMapping::Upper(absl::string_view text) const {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const char32_t c = TakeCharacter(&text);
    char32_t letter = 0;
    const auto* const found = std::lower_bound(
        std::begin(kUpper), std::end(kUpper), c,
        [](const Expansion& e, char32_t wanted) { return e.from < wanted; });
    if (found != std::end(kUpper) && found->from == c) {
      for (const char32_t to : found->to) {
        if (to != 0) AppendCharacter(to, &out);
      }
    } else if (UpperWithIota(c, &letter)) {
      AppendCharacter(letter, &out);
      AppendCharacter(0x0399, &out);
    } else {
      AppendCharacter(
          static_cast<char32_t>(towupper_l(static_cast<wint_t>(c), locale_)),
          &out);
    }
  }
  return out;
}

}  // namespace millrace::ops

// Writes characters in the character sets that Unicode ops write.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/utf8.h"

namespace millrace::ops {

enum class TextEncoding { kUtf8, kUtf16Be, kUtf32Be };

// Returns the encoding of an attribute output_encoding, which allows no other
// names.
inline TextEncoding EncodingOfName(absl::string_view name) {
  return name == "UTF-16-BE"   ? TextEncoding::kUtf16Be
         : name == "UTF-32-BE" ? TextEncoding::kUtf32Be
                               : TextEncoding::kUtf8;
}

inline bool IsScalarValue(char32_t c) {
  return c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff);
}

// Appends a character; what no text can hold becomes U+FFFD.
inline void AppendEncoded(TextEncoding encoding, char32_t c, std::string* out) {
  if (!IsScalarValue(c)) c = kReplacementCharacter;
  const auto put16 = [out](char32_t unit) {
    out->push_back(static_cast<char>(unit >> 8));
    out->push_back(static_cast<char>(unit & 0xff));
  };
  switch (encoding) {
    case TextEncoding::kUtf8:
      AppendCharacter(c, out);
      return;
    case TextEncoding::kUtf16Be:
      if (c < 0x10000) return put16(c);
      put16(0xd800 + ((c - 0x10000) >> 10));
      put16(0xdc00 + ((c - 0x10000) & 0x3ff));
      return;
    case TextEncoding::kUtf32Be:
      put16(c >> 16);
      put16(c & 0xffff);
      return;
  }
}

}  // namespace millrace::ops

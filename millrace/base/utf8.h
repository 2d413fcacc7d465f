// UTF-8: handles the characters of a text, which may be malformed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace millrace {

inline constexpr char32_t kReplacementCharacter = 0xfffd;

// Returns whether `c` is the second or a later byte of a character.
inline bool IsTrailByte(char c) { return (c & 0xc0) == 0x80; }

// Returns the number of characters. Every byte except a trailing one begins a
// character.
inline int64_t CountCharacters(absl::string_view text) {
  int64_t count = 0;
  for (const char c : text) count += !IsTrailByte(c);
  return count;
}

// Removes the first character of a text that is not empty, and returns it. Each
// longest sequence of bytes that could begin a character, but does not become
// one, counts as one replacement character (the Unicode standard's "maximal
// subpart").
inline char32_t TakeCharacter(absl::string_view* text) {
  const auto byte = [&](size_t i) {
    return static_cast<unsigned char>((*text)[i]);
  };
  const unsigned char lead = byte(0);
  size_t length = 1;
  char32_t c = lead;
  unsigned char low = 0x80, high = 0xbf;  // what the second byte may be
  if (lead < 0x80) {
    text->remove_prefix(1);
    return c;
  }
  if (lead >= 0xc2 && lead <= 0xdf) {
    length = 2;
    c = lead & 0x1f;
  } else if (lead >= 0xe0 && lead <= 0xef) {
    length = 3;
    c = lead & 0x0f;
    if (lead == 0xe0) low = 0xa0;
    if (lead == 0xed) high = 0x9f;  // no surrogates
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    length = 4;
    c = lead & 0x07;
    if (lead == 0xf0) low = 0x90;
    if (lead == 0xf4) high = 0x8f;
  } else {
    text->remove_prefix(1);
    return kReplacementCharacter;
  }
  size_t at = 1;
  for (; at < length && at < text->size(); ++at) {
    if (byte(at) < low || byte(at) > high) break;
    c = c << 6 | (byte(at) & 0x3f);
    low = 0x80;
    high = 0xbf;
  }
  text->remove_prefix(at);
  return at == length ? c : kReplacementCharacter;
}

inline void AppendCharacter(char32_t c, std::string* out) {
  const auto put = [&](char32_t byte) {
    out->push_back(static_cast<char>(byte));
  };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | c >> 6);
    put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3f));
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  }
}

// Returns the text, with the replacement character for each malformed part, for
// formats that require well-formed text.
inline std::string WellFormed(absl::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) AppendCharacter(TakeCharacter(&text), &out);
  return out;
}

}  // namespace millrace

#include "millrace/ops/unicode/text_decoder.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "millrace/base/utf8.h"

namespace millrace::ops {
namespace {

constexpr char32_t kMark = 0xfeff;
constexpr char32_t kSwappedMark16 = 0xfffe;
constexpr char32_t kSwappedMark32 = 0xfffe0000;

TextCharacter Malformed(size_t offset) {
  return {kReplacementCharacter, offset, true};
}

// Returns the unit of `size` bytes at the beginning of the text.
char32_t Unit(absl::string_view text, size_t size, bool little) {
  char32_t unit = 0;
  for (size_t i = 0; i < size; ++i) {
    const auto byte =
        static_cast<unsigned char>(text[little ? size - 1 - i : i]);
    unit = unit << 8 | byte;
  }
  return unit;
}

bool IsHighSurrogate(char32_t c) { return c >= 0xd800 && c <= 0xdbff; }
bool IsLowSurrogate(char32_t c) { return c >= 0xdc00 && c <= 0xdfff; }

// Returns the first character of a text, whose offset is 0, and sets `*length`
// to its bytes.
TextCharacter TakeUnit16(absl::string_view text, bool little, size_t* length) {
  *length = text.size();
  if (text.size() < 2) return Malformed(0);
  const char32_t first = Unit(text, 2, little);
  // A half of a pair whose other half is cut off takes all that is left.
  if (IsHighSurrogate(first) && text.size() < 4) return Malformed(0);
  *length = 2;
  if (IsLowSurrogate(first)) return Malformed(0);
  if (!IsHighSurrogate(first)) return {first, 0, false};
  const char32_t second = Unit(text.substr(2), 2, little);
  if (!IsLowSurrogate(second)) return Malformed(0);
  *length = 4;
  return {0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00), 0, false};
}

TextCharacter TakeUnit32(absl::string_view text, bool little, size_t* length) {
  *length = text.size();
  if (text.size() < 4) return Malformed(0);
  *length = 4;
  const char32_t c = Unit(text, 4, little);
  if (c > 0x10ffff || IsHighSurrogate(c) || IsLowSurrogate(c)) {
    return Malformed(0);
  }
  return {c, 0, false};
}

}  // namespace

StatusOr<TextDecoder> TextDecoder::Make(const Charset& charset) {
  TextDecoder decoder(charset);
  if (charset.kind() == Charset::Kind::kSeveralBytes) {
    MR_ASSIGN_OR_RETURN(CharsetConverter converter,
                        CharsetConverter::Open(charset.library_name()));
    decoder.converter_.emplace(std::move(converter));
  }
  return decoder;
}

void TextDecoder::Decode(absl::string_view text, Receiver receive) {
  switch (charset_.kind()) {
    case Charset::Kind::kUtf8:
      return DecodeUtf8(text, receive);
    case Charset::Kind::kUtf16:
    case Charset::Kind::kUtf32:
      return DecodeUnits(text, receive);
    case Charset::Kind::kBytes:
      return DecodeBytes(text, receive);
    case Charset::Kind::kSeveralBytes:
      return DecodeSeveralBytes(text, receive);
  }
}

void TextDecoder::DecodeUtf8(absl::string_view text, Receiver receive) {
  absl::string_view rest = text;
  while (!rest.empty()) {
    const absl::string_view before = rest;
    const size_t offset = text.size() - rest.size();
    const char32_t c = TakeCharacter(&rest);
    const absl::string_view bytes =
        before.substr(0, before.size() - rest.size());
    const bool malformed =
        c == kReplacementCharacter && bytes != "\xef\xbf\xbd";
    if (!receive({c, offset, malformed})) return;
  }
}

void TextDecoder::DecodeUnits(absl::string_view text, Receiver receive) {
  const bool wide = charset_.kind() == Charset::Kind::kUtf32;
  const size_t unit = wide ? 4 : 2;
  const bool by_mark = charset_.order() == Charset::Order::kMark;
  size_t at = 0, start = 0;
  bool little = charset_.order() == Charset::Order::kLittle;
  bool told = false;
  if (by_mark && little_.has_value()) {
    little = *little_;
  } else if (by_mark && text.size() >= unit) {
    const char32_t first = Unit(text, unit, false);
    little = first == (wide ? kSwappedMark32 : kSwappedMark16);
    if (little || first == kMark) at = unit;
    little_ = little;
    told = true;
  }
  int64_t count = 0;
  bool malformed_end = false;
  while (at < text.size()) {
    size_t length = 0;
    TextCharacter c = wide ? TakeUnit32(text.substr(at), little, &length)
                           : TakeUnit16(text.substr(at), little, &length);
    c.offset = start;  // a mark belongs to the character behind it
    at += length;
    start = at;
    ++count;
    malformed_end = c.malformed;
    if (!receive(c)) return;
  }
  // As in stock, a text of one character, or one that ends in a malformed one,
  // leaves the order open.
  if ((told && count <= 1) || malformed_end) little_.reset();
  // As in stock, a mark alone is a character, though not a mark.
  if (told && at > 0 && count == 0) receive({0xffff, 0, false});
}

void TextDecoder::DecodeBytes(absl::string_view text, Receiver receive) {
  const ByteTable& table = charset_.bytes();
  for (size_t i = 0; i < text.size(); ++i) {
    const int32_t code = table[static_cast<unsigned char>(text[i])];
    const TextCharacter c =
        code < 0 ? Malformed(i)
                 : TextCharacter{static_cast<char32_t>(code), i, false};
    if (!receive(c)) return;
  }
}

void TextDecoder::DecodeSeveralBytes(absl::string_view text, Receiver receive) {
  constexpr auto kFailed = static_cast<size_t>(-1);
  converter_->Reset();
  // A character begins with the escape sequence before it.
  size_t begin = 0, at = 0, length = 1;
  while (at < text.size()) {
    char32_t codes[8];
    char* from = const_cast<char*>(text.data() + at);
    char* to = reinterpret_cast<char*>(codes);
    size_t left = length, room = sizeof(codes);
    const size_t result = iconv(converter_->handle(), &from, &left, &to, &room);
    const int error = result == kFailed ? errno : 0;
    const size_t taken = length - left;
    const size_t count = (sizeof(codes) - room) / sizeof(codes[0]);
    for (size_t i = 0; i < count; ++i) {
      if (!receive({codes[i], begin, false})) return;
    }
    at += taken;
    if (count > 0) begin = at;
    if (error == 0) {
      length = 1;
      continue;
    }
    length = std::max<size_t>(left, 1);
    // The character may go on. None has as many bytes as this, not even with
    // the escape sequence before it.
    constexpr size_t kMostBytes = 16;
    if (error == EINVAL && length < kMostBytes && at + length < text.size()) {
      ++length;
      continue;
    }
    if (!receive(Malformed(begin))) return;
    const bool whole =
        error == EINVAL ||
        (length > 1 && static_cast<unsigned char>(text[at + 1]) >= 0x80);
    at += whole ? length : 1;
    begin = at;
    length = 1;
  }
}

}  // namespace millrace::ops

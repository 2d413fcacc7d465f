// TextDecoder: takes the characters out of texts of one character set.
#pragma once

#include <cstddef>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "millrace/base/status.h"
#include "millrace/ops/unicode/charset.h"
#include "millrace/ops/unicode/charset_converter.h"

namespace millrace::ops {

struct TextCharacter {
  char32_t code = 0;  // U+FFFD if the bytes are malformed
  size_t offset = 0;  // of its first byte
  bool malformed = false;
};

// For one thread at a time.
class TextDecoder {
 public:
  // Returns whether to go on.
  using Receiver = absl::FunctionRef<bool(const TextCharacter&)>;

  static StatusOr<TextDecoder> Make(const Charset& charset);

  // Gives the characters of a text in their order, until `receive` returns
  // false. Texts that follow each other share the order of bytes that a mark
  // has told.
  void Decode(absl::string_view text, Receiver receive);
  // Forgets that order: the next text is the first one.
  void Restart() { little_.reset(); }

 private:
  explicit TextDecoder(const Charset& charset) : charset_(charset) {}
  void DecodeUtf8(absl::string_view text, Receiver receive);
  void DecodeUnits(absl::string_view text, Receiver receive);
  void DecodeBytes(absl::string_view text, Receiver receive);
  void DecodeSeveralBytes(absl::string_view text, Receiver receive);

  Charset charset_;
  std::optional<CharsetConverter> converter_;
  // Whether units begin with their lowest byte, once a mark or its absence has
  // told.
  std::optional<bool> little_;
};

}  // namespace millrace::ops

// Writes JSON (RFC 8259); json.h and json_reader.h read it.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace millrace {

// Writes any bytes as a string in quotes; invalid UTF-8 is replaced by U+FFFD.
void AppendJsonString(absl::string_view text, std::string* out);
std::string JsonString(absl::string_view text);

// Writes an object, member by member.
class JsonObjectText {
 public:
  JsonObjectText& Add(absl::string_view key, absl::string_view value) {
    AppendJsonString(value, &Key(key));
    return *this;
  }
  JsonObjectText& Add(absl::string_view key, int64_t value);
  // Adds a value that is JSON already.
  JsonObjectText& AddJson(absl::string_view key, absl::string_view json);
  // Returns "{...}".
  std::string Text() const { return text_ + "}"; }

 private:
  std::string& Key(absl::string_view key);
  std::string text_ = "{";
};

}  // namespace millrace

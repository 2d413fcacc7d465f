#include "millrace/cluster/json_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace millrace {
namespace {

// Bytes of the UTF-8 character (RFC 3629) that `s`, which is not empty, begins
// with; 0 if there is none.
size_t CharacterSize(absl::string_view s) {
  const auto in = [&](size_t i, uint8_t low = 0x80, uint8_t high = 0xbf) {
    if (i >= s.size()) return false;
    const auto byte = static_cast<uint8_t>(s[i]);
    return byte >= low && byte <= high;
  };
  const auto first = static_cast<uint8_t>(s[0]);
  if (first < 0x80) return 1;
  if (in(0, 0xc2, 0xdf)) return in(1) ? 2 : 0;
  if (in(0, 0xe0, 0xef)) {
    // Neither overlong nor a surrogate.
    const uint8_t low = first == 0xe0 ? 0xa0 : 0x80;
    const uint8_t high = first == 0xed ? 0x9f : 0xbf;
    return in(1, low, high) && in(2) ? 3 : 0;
  }
  if (in(0, 0xf0, 0xf4)) {
    const uint8_t low = first == 0xf0 ? 0x90 : 0x80;
    const uint8_t high = first == 0xf4 ? 0x8f : 0xbf;
    return in(1, low, high) && in(2) && in(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

void AppendJsonString(absl::string_view text, std::string* out) {
  out->push_back('"');
  while (!text.empty()) {
    const size_t size = CharacterSize(text);
    const char first = text[0];
    if (size == 0) {
      out->append("\xef\xbf\xbd");
    } else if (first == '"' || first == '\\') {
      out->append({'\\', first});
    } else if (size == 1 && static_cast<uint8_t>(first) < 0x20) {
      absl::StrAppendFormat(out, "\\u%04x", static_cast<int>(first));
    } else {
      out->append(text.data(), size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  out->push_back('"');
}

std::string JsonString(absl::string_view text) {
  std::string out;
  AppendJsonString(text, &out);
  return out;
}

std::string& JsonObjectText::Key(absl::string_view key) {
  if (text_.size() > 1) text_ += ", ";
  AppendJsonString(key, &text_);
  text_ += ": ";
  return text_;
}

JsonObjectText& JsonObjectText::Add(absl::string_view key, int64_t value) {
  absl::StrAppend(&Key(key), value);
  return *this;
}

JsonObjectText& JsonObjectText::AddJson(absl::string_view key,
                                        absl::string_view json) {
  absl::StrAppend(&Key(key), json);
  return *this;
}

}  // namespace millrace

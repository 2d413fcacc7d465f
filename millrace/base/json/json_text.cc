#include "millrace/base/json/json_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "millrace/base/utf8.h"

namespace millrace {
namespace {

constexpr absl::string_view kReplacement = "\xef\xbf\xbd";

}  // namespace

void AppendJsonString(absl::string_view text, std::string* out) {
  out->push_back('"');
  while (!text.empty()) {
    absl::string_view rest = text;
    const char32_t c = TakeCharacter(&rest);
    const absl::string_view bytes = text.substr(0, text.size() - rest.size());
    if (c == kReplacementCharacter && bytes != kReplacement) {
      for (size_t i = 0; i < bytes.size(); ++i) {
        absl::StrAppend(out, kReplacement);
      }
    } else if (c == '"' || c == '\\') {
      out->append({'\\', bytes[0]});
    } else if (c < 0x20) {
      absl::StrAppendFormat(out, "\\u%04x", static_cast<int>(c));
    } else {
      absl::StrAppend(out, bytes);
    }
    text = rest;
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

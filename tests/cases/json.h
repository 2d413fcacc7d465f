// Writes JSON for the Python side of the tests.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace millrace::cases {

// A quoted string; bytes that are no ASCII are written as Latin-1.
inline std::string JsonString(absl::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      absl::StrAppendFormat(&out, "\\u%04x", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// Values are JSON already.
inline std::string JsonList(const std::vector<std::string>& values) {
  return absl::StrCat("[", absl::StrJoin(values, ","), "]");
}

// An object, member by member.
class JsonObject {
 public:
  JsonObject& Set(absl::string_view name, absl::string_view json) {
    absl::StrAppend(&text_, text_.empty() ? "" : ",", JsonString(name), ":",
                    json);
    return *this;
  }
  JsonObject& SetInt(absl::string_view name, int64_t v) {
    return Set(name, absl::StrCat(v));
  }
  JsonObject& SetBool(absl::string_view name, bool v) {
    return Set(name, v ? "true" : "false");
  }
  JsonObject& SetString(absl::string_view name, absl::string_view v) {
    return Set(name, JsonString(v));
  }
  JsonObject& SetNumber(absl::string_view name, double v) {
    return Set(name, absl::StrFormat("%.17g", v));
  }
  std::string text() const { return absl::StrCat("{", text_, "}"); }

 private:
  std::string text_;
};

}  // namespace millrace::cases

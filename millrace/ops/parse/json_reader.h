// A reader of JSON (RFC 8259) whose caller knows what should come.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "millrace/base/status.h"
#include "millrace/base/utf8.h"

namespace millrace::ops {

// Every method that returns a Status says INVALID_ARGUMENT with the place for
// what does not fit; the reader is then of no more use.
class JsonReader {
 public:
  explicit JsonReader(absl::string_view text) : text_(text) {}

  Status Fail(absl::string_view what) const {
    return InvalidArgument(what, " at byte ", at_);
  }

  // The next character that is no space; 0 at the end.
  char Peek() {
    while (at_ < text_.size() &&
           absl::ascii_isspace(static_cast<unsigned char>(text_[at_]))) {
      ++at_;
    }
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool TakeIf(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }
  Status Take(char c) {
    if (TakeIf(c)) return OkStatus();
    return Fail(absl::StrCat("expected ", absl::string_view(&c, 1)));
  }
  bool TakeNull() {
    if (Peek() != 'n' || text_.substr(at_, 4) != "null") return false;
    at_ += 4;
    return true;
  }
  Status End() {
    return Peek() == '\0' && at_ == text_.size() ? OkStatus()
                                                 : Fail("expected the end");
  }

  // Calls f(key) (Status), which reads the value, for each member.
  template <class F>
  Status Object(F f) {
    MR_RETURN_IF_ERROR(Take('{'));
    if (TakeIf('}')) return OkStatus();
    do {
      std::string key;
      MR_RETURN_IF_ERROR(String(&key));
      MR_RETURN_IF_ERROR(Take(':'));
      MR_RETURN_IF_ERROR(f(key));
    } while (TakeIf(','));
    return Take('}');
  }
  // Calls f() (Status), which reads the value, for each element.
  template <class F>
  Status Array(F f) {
    MR_RETURN_IF_ERROR(Take('['));
    if (TakeIf(']')) return OkStatus();
    do {
      MR_RETURN_IF_ERROR(f());
    } while (TakeIf(','));
    return Take(']');
  }

  Status String(std::string* out) {
    MR_RETURN_IF_ERROR(Take('"'));
    for (;; ++at_) {
      const size_t plain = text_.find_first_of("\"\\", at_);
      if (plain == absl::string_view::npos) return Fail("unfinished string");
      absl::StrAppend(out, text_.substr(at_, plain - at_));
      at_ = plain + 1;
      if (text_[plain] == '"') return OkStatus();
      MR_RETURN_IF_ERROR(Escape(out));
    }
  }

  // The text of a number, also one in quotes.
  Status Number(std::string* out) {
    if (Peek() == '"') return String(out);
    const size_t end = text_.find_first_not_of("+-.0123456789eE", at_);
    *out = std::string(text_.substr(at_, end - at_));
    if (out->empty()) return Fail("expected a number");
    at_ += out->size();
    return OkStatus();
  }
  Status Float(float* v) {
    std::string text;
    MR_RETURN_IF_ERROR(Number(&text));
    if (text == "NaN") {
      *v = std::numeric_limits<float>::quiet_NaN();
    } else if (text == "Infinity" || text == "-Infinity") {
      *v = std::copysign(std::numeric_limits<float>::infinity(),
                         text[0] == '-' ? -1.0f : 1.0f);
    } else if (!absl::SimpleAtof(text, v) || !std::isfinite(*v)) {
      return Fail(absl::StrCat("no float: ", text));
    }
    return OkStatus();
  }
  Status Int(int64_t* v) {
    constexpr double kLimit = 9223372036854775808.0;
    std::string text;
    MR_RETURN_IF_ERROR(Number(&text));
    if (absl::SimpleAtoi(text, v)) return OkStatus();
    double d = 0;
    if (!absl::SimpleAtod(text, &d) || !(d >= -kLimit && d < kLimit) ||
        d != std::floor(d)) {
      return Fail(absl::StrCat("no int64: ", text));
    }
    *v = static_cast<int64_t>(d);
    return OkStatus();
  }

 private:
  // What follows a backslash; leaves the place at its last character.
  Status Escape(std::string* out) {
    constexpr absl::string_view kLetters = "\"\\/bfnrt";
    constexpr absl::string_view kMeant = "\"\\/\b\f\n\r\t";
    if (at_ >= text_.size()) return Fail("unfinished string");
    if (const size_t i = kLetters.find(text_[at_]);
        i != absl::string_view::npos) {
      out->push_back(kMeant[i]);
      return OkStatus();
    }
    char32_t c = 0;
    MR_RETURN_IF_ERROR(Hexadecimal(&c));
    if (c >= 0xd800 && c < 0xdc00) {
      char32_t low = 0;
      at_ += 2;
      if (at_ >= text_.size() || text_[at_ - 1] != '\\') {
        return Fail("half a character");
      }
      MR_RETURN_IF_ERROR(Hexadecimal(&low));
      if (low < 0xdc00 || low > 0xdfff) return Fail("half a character");
      c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    } else if (c >= 0xdc00 && c <= 0xdfff) {
      return Fail("half a character");
    }
    AppendCharacter(c, out);
    return OkStatus();
  }
  // u and four digits.
  Status Hexadecimal(char32_t* c) {
    if (text_[at_] != 'u' || text_.size() - at_ < 5) {
      return Fail("unknown escape");
    }
    uint32_t value = 0;
    if (!absl::SimpleHexAtoi(text_.substr(at_ + 1, 4), &value)) {
      return Fail("unknown escape");
    }
    *c = value;
    at_ += 4;
    return OkStatus();
  }

  absl::string_view text_;
  size_t at_ = 0;
};

}  // namespace millrace::ops

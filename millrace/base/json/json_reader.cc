#include "millrace/base/json/json_reader.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "millrace/base/utf8.h"

namespace millrace {
namespace {

constexpr int kMaxNested = 100;

}  // namespace

Status JsonReader::Malformed(absl::string_view what) const {
  return InvalidArgument("malformed JSON at ", Place(), ": ", what);
}

std::string JsonReader::Place() const {
  const absl::string_view before = text_.substr(0, at_);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t start = before.rfind('\n');
  const size_t column =
      start == absl::string_view::npos ? at_ + 1 : at_ - start;
  return absl::StrCat("line ", line, ", column ", column);
}

char JsonReader::Peek() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' ||
                                text_[at_] == '\n' || text_[at_] == '\r')) {
    ++at_;
  }
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonReader::AtEnd() {
  Peek();
  return at_ == text_.size();
}

Status JsonReader::ExpectEnd() {
  return AtEnd() ? OkStatus() : Malformed("there is text after the value");
}

bool JsonReader::Take(char c) {
  if (AtEnd() || text_[at_] != c) return false;
  ++at_;
  return true;
}

bool JsonReader::TakeWord(absl::string_view word) {
  Peek();
  if (!absl::StartsWith(text_.substr(at_), word)) return false;
  at_ += word.size();
  return true;
}

StatusOr<absl::string_view> JsonReader::Number() {
  Peek();
  size_t end = at_;
  const auto take = [&](absl::string_view any) {
    if (end == text_.size() || !absl::StrContains(any, text_[end])) {
      return false;
    }
    ++end;
    return true;
  };
  const auto take_digits = [&] {
    const size_t first = end;
    while (end < text_.size() && absl::ascii_isdigit(text_[end])) ++end;
    return end > first;
  };
  take("-");
  bool good = take("0") || take_digits();
  if (good && take(".")) good = take_digits();
  if (good && take("eE")) {
    take("+-");
    good = take_digits();
  }
  // Texts such as 01 and 1.2.3 are not two numbers but an error.
  if (!good || take("+-.0123456789eE")) return Malformed("expected a number");
  const absl::string_view number = text_.substr(at_, end - at_);
  at_ = end;
  return number;
}

StatusOr<std::string> JsonReader::String() {
  if (!Take('"')) return Malformed("expected a text in quotes");
  std::string out;
  while (true) {
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
           static_cast<unsigned char>(text_[at_]) >= 0x20) {
      ++at_;
    }
    out.append(text_.data() + begin, at_ - begin);
    if (at_ == text_.size()) {
      return Malformed("the text ends inside of a string");
    }
    if (text_[at_] == '"') break;
    if (text_[at_] != '\\') return Malformed("a control character in a string");
    ++at_;
    MR_RETURN_IF_ERROR(Escape(&out));
  }
  ++at_;
  return out;
}

// Reads the part of an escape after the backslash.
Status JsonReader::Escape(std::string* out) {
  if (at_ == text_.size()) {
    return Malformed("the text ends inside of a string");
  }
  constexpr absl::string_view kFrom = "\"\\/bfnrt";
  constexpr absl::string_view kTo = "\"\\/\b\f\n\r\t";
  const char c = text_[at_];
  if (const size_t i = kFrom.find(c); i != absl::string_view::npos) {
    ++at_;
    out->push_back(kTo[i]);
    return OkStatus();
  }
  if (c != 'u') return Malformed("unknown escape in a string");
  ++at_;
  MR_ASSIGN_OR_RETURN(char32_t unit, HexUnit());
  if (unit >= 0xd800 && unit < 0xdc00 &&
      absl::StartsWith(text_.substr(at_), "\\u")) {
    at_ += 2;
    MR_ASSIGN_OR_RETURN(const char32_t low, HexUnit());
    if (low < 0xdc00 || low > 0xdfff) {
      return Malformed("half of a surrogate pair");
    }
    unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
  } else if (unit >= 0xd800 && unit <= 0xdfff) {
    return Malformed("half of a surrogate pair");
  }
  AppendCharacter(unit, out);
  return OkStatus();
}

StatusOr<char32_t> JsonReader::HexUnit() {
  uint32_t value = 0;
  const absl::string_view digits = text_.substr(at_, 4);
  if (digits.size() < 4 ||
      !std::all_of(digits.begin(), digits.end(), absl::ascii_isxdigit) ||
      !absl::SimpleHexAtoi(digits, &value)) {
    return Malformed("expected four hexadecimal digits after \\u");
  }
  at_ += 4;
  return char32_t{value};
}

Status JsonReader::Enter(char opening) {
  if (!Take(opening))
    return Malformed(absl::StrCat("expected ", std::string(1, opening)));
  if (++depth_ > kMaxNested) return Malformed("the nesting is too deep");
  return OkStatus();
}

Status JsonReader::Array(absl::FunctionRef<Status()> element) {
  MR_RETURN_IF_ERROR(Enter('['));
  if (!Take(']')) {
    do {
      MR_RETURN_IF_ERROR(element());
    } while (Take(','));
    if (!Take(']')) return Malformed("expected , or ]");
  }
  --depth_;
  return OkStatus();
}

Status JsonReader::Object(absl::FunctionRef<Status(std::string)> member) {
  MR_RETURN_IF_ERROR(Enter('{'));
  if (!Take('}')) {
    do {
      if (Peek() != '"') return Malformed("expected a key in quotes");
      MR_ASSIGN_OR_RETURN(std::string key, String());
      if (!Take(':')) return Malformed("expected : after a key");
      MR_RETURN_IF_ERROR(member(std::move(key)));
    } while (Take(','));
    if (!Take('}')) return Malformed("expected , or }");
  }
  --depth_;
  return OkStatus();
}

}  // namespace millrace

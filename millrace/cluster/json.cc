#include "millrace/cluster/json.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace millrace {
namespace {

constexpr int kMaxDepth = 100;

void AppendUtf8(uint32_t c, std::string* out) {
  const auto add = [&](uint32_t byte) {
    out->push_back(static_cast<char>(byte));
  };
  if (c < 0x80) {
    add(c);
  } else if (c < 0x800) {
    add(0xc0 | c >> 6);
    add(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    add(0xe0 | c >> 12);
    add(0x80 | (c >> 6 & 0x3f));
    add(0x80 | (c & 0x3f));
  } else {
    add(0xf0 | c >> 18);
    add(0x80 | (c >> 12 & 0x3f));
    add(0x80 | (c >> 6 & 0x3f));
    add(0x80 | (c & 0x3f));
  }
}

class Parser {
 public:
  explicit Parser(absl::string_view text) : text_(text) {}

  StatusOr<Json> Run() {
    MR_ASSIGN_OR_RETURN(Json value, Value(0));
    SkipSpace();
    if (at_ < text_.size()) return Wrong("there is text after the value");
    return value;
  }

 private:
  Status Wrong(absl::string_view what) const {
    const absl::string_view before = text_.substr(0, at_);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const size_t start = before.rfind('\n');
    const size_t column =
        start == absl::string_view::npos ? at_ + 1 : at_ - start;
    return InvalidArgument("malformed JSON at line ", line, ", column ", column,
                           ": ", what);
  }

  void SkipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' ||
                                  text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  bool Take(char c) {
    SkipSpace();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool TakeWord(absl::string_view word) {
    if (!absl::StartsWith(text_.substr(at_), word)) return false;
    at_ += word.size();
    return true;
  }

  StatusOr<Json> Value(int depth) {
    if (depth > kMaxDepth) return Wrong("the nesting is too deep");
    SkipSpace();
    if (at_ == text_.size())
      return Wrong("expected a value, but the text ends");
    const char c = text_[at_];
    if (c == '{') return ObjectValue(depth);
    if (c == '[') return ArrayValue(depth);
    if (c == '"') {
      MR_ASSIGN_OR_RETURN(std::string s, String());
      return Json(std::move(s));
    }
    if (TakeWord("true")) return Json(true);
    if (TakeWord("false")) return Json(false);
    if (TakeWord("null")) return Json();
    return Number();
  }

  StatusOr<Json> Number() {
    const size_t end =
        std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size());
    const absl::string_view digits = text_.substr(at_, end - at_);
    const absl::string_view whole = absl::StripPrefix(digits, "-");
    double value = 0;
    if (whole.empty() || !absl::ascii_isdigit(whole[0]) ||
        (whole.size() > 1 && whole[0] == '0' &&
         absl::ascii_isdigit(whole[1])) ||
        !absl::SimpleAtod(digits, &value)) {
      return Wrong(
          "expected a value: \"text\", a number, true, false, null, [...] or "
          "{...}");
    }
    at_ = end;
    return Json(value);
  }

  StatusOr<uint32_t> HexUnit() {
    uint32_t value = 0;
    const absl::string_view digits =
        text_.substr(std::min(at_, text_.size()), 4);
    if (digits.size() < 4 ||
        !std::all_of(digits.begin(), digits.end(), absl::ascii_isxdigit) ||
        !absl::SimpleHexAtoi(digits, &value)) {
      return Wrong("expected four hexadecimal digits after \\u");
    }
    at_ += 4;
    return value;
  }

  Status Escape(std::string* out) {
    if (at_ == text_.size()) return Wrong("the text ends inside of a string");
    constexpr absl::string_view kFrom = "\"\\/bfnrt";
    constexpr absl::string_view kTo = "\"\\/\b\f\n\r\t";
    const char c = text_[at_];
    if (const size_t i = kFrom.find(c); i != absl::string_view::npos) {
      ++at_;
      out->push_back(kTo[i]);
      return OkStatus();
    }
    if (c != 'u') return Wrong("unknown escape in a string");
    ++at_;
    MR_ASSIGN_OR_RETURN(uint32_t unit, HexUnit());
    if (unit >= 0xd800 && unit < 0xdc00 && TakeWord("\\u")) {
      MR_ASSIGN_OR_RETURN(const uint32_t low, HexUnit());
      if (low < 0xdc00 || low > 0xdfff)
        return Wrong("half of a surrogate pair");
      unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    } else if (unit >= 0xd800 && unit <= 0xdfff) {
      return Wrong("half of a surrogate pair");
    }
    AppendUtf8(unit, out);
    return OkStatus();
  }

  StatusOr<std::string> String() {
    ++at_;
    std::string out;
    while (true) {
      if (at_ == text_.size()) return Wrong("the text ends inside of a string");
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) < 0x20)
        return Wrong("a control character in a string");
      ++at_;
      if (c == '"') return out;
      if (c == '\\') {
        MR_RETURN_IF_ERROR(Escape(&out));
      } else {
        out.push_back(c);
      }
    }
  }

  StatusOr<Json> ArrayValue(int depth) {
    ++at_;
    Json::Array out;
    if (Take(']')) return Json(std::move(out));
    do {
      MR_ASSIGN_OR_RETURN(Json value, Value(depth + 1));
      out.push_back(std::move(value));
    } while (Take(','));
    if (!Take(']')) return Wrong("expected , or ]");
    return Json(std::move(out));
  }

  StatusOr<Json> ObjectValue(int depth) {
    ++at_;
    Json::Object out;
    if (Take('}')) return Json(std::move(out));
    do {
      SkipSpace();
      if (at_ == text_.size() || text_[at_] != '"')
        return Wrong("expected a key in quotes");
      MR_ASSIGN_OR_RETURN(std::string key, String());
      if (out.contains(key))
        return Wrong(absl::StrCat("the key \"", key, "\" comes twice"));
      if (!Take(':')) return Wrong("expected : after a key");
      MR_ASSIGN_OR_RETURN(Json value, Value(depth + 1));
      out.emplace(std::move(key), std::move(value));
    } while (Take(','));
    if (!Take('}')) return Wrong("expected , or }");
    return Json(std::move(out));
  }

  const absl::string_view text_;
  size_t at_ = 0;
};

}  // namespace

StatusOr<Json> Json::Parse(absl::string_view text) {
  return Parser(text).Run();
}

const Json* Json::Find(absl::string_view key) const {
  const Object* o = object();
  if (o == nullptr) return nullptr;
  const auto it = o->find(std::string(key));
  return it == o->end() ? nullptr : &it->second;
}

absl::string_view Json::KindName() const {
  constexpr absl::string_view kNames[] = {
      "null", "true or false", "a number", "a text", "a list", "an object"};
  return kNames[value_.index()];
}

}  // namespace millrace

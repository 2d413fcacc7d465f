// JsonReader: JSON (RFC 8259) from front to back, for callers that know what
// should come. json.h makes values of any text, json_text.h writes.
#pragma once

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace {

// Of one thread. A method that returns an error says INVALID_ARGUMENT with line
// and column for what is no JSON or is not what was asked for, and the reader
// is then of no more use. Bytes of a text beyond ASCII are taken as they are.
class JsonReader {
 public:
  // Refers to `text`.
  explicit JsonReader(absl::string_view text) : text_(text) {}

  // The next character that is no space; 0 at the end.
  char Peek();
  // Whether nothing but spaces is left.
  bool AtEnd();
  Status ExpectEnd();

  // Takes `word` (null, true or false) if it comes next.
  bool TakeWord(absl::string_view word);
  // Escapes are replaced; surrogates are joined, and half a pair is an error.
  StatusOr<std::string> String();
  // The text of a number.
  StatusOr<absl::string_view> Number();
  // Calls `element`, which reads the value, for each element.
  Status Array(absl::FunctionRef<Status()> element);
  // Calls `member`, which reads the value, for each member in the order of the
  // text, also where a key comes again. Arrays and objects nest 100 deep at
  // most.
  Status Object(absl::FunctionRef<Status(std::string key)> member);

  // "malformed JSON at line 2, column 8: what".
  Status Malformed(absl::string_view what) const;
  // "line 2, column 8", counted in bytes from 1: what is read next.
  std::string Place() const;

 private:
  bool Take(char c);
  Status Enter(char opening);
  Status Escape(std::string* out);
  StatusOr<char32_t> HexUnit();

  const absl::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace millrace

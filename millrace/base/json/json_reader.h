// JsonReader: reads JSON (RFC 8259) from front to back, for callers that know
// which values to expect. json.h parses any text into values, json_text.h
// writes.
#pragma once

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace {

// A cursor over a JSON text, for one thread. A method that fails returns
// INVALID_ARGUMENT with line and column, for malformed JSON and for a value
// other than the expected one; the reader must not be used afterwards. Bytes
// beyond ASCII are passed on unchecked.
class JsonReader {
 public:
  // Does not copy `text`, which must outlive the reader.
  explicit JsonReader(absl::string_view text) : text_(text) {}

  // Returns the next character that is not a space; 0 at the end.
  char Peek();
  // Returns whether nothing but spaces is left.
  bool AtEnd();
  Status ExpectEnd();

  // Skips `word` (null, true or false) if it comes next, and returns whether it
  // did.
  bool TakeWord(absl::string_view word);
  // Reads a string. Escapes are replaced and surrogates joined; an unpaired
  // surrogate is an error.
  StatusOr<std::string> String();
  // Reads a number and returns its text.
  StatusOr<absl::string_view> Number();
  // Calls `element`, which reads the value, for each element.
  Status Array(absl::FunctionRef<Status()> element);
  // Calls `member`, which reads the value, for each member in the order of the
  // text, also for a repeated key. Arrays and objects nest 100 deep at most.
  Status Object(absl::FunctionRef<Status(std::string key)> member);

  // Returns the error "malformed JSON at line 2, column 8: what".
  Status Malformed(absl::string_view what) const;
  // Returns the position of the next character as "line 2, column 8", counted
  // in bytes from 1.
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

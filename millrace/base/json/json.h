// Json: a JSON text (RFC 8259) parsed into values, for configuration files and
// the like.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::map<std::string, Json>;

  // Returns INVALID_ARGUMENT with line and column for malformed JSON, a
  // duplicate key, text after the value, or nesting deeper than 100.
  static StatusOr<Json> Parse(absl::string_view text);

  Json() = default;  // null
  template <class T>
  explicit Json(T value) : value_(std::move(value)) {}

  bool is_null() const {
    return std::holds_alternative<std::monostate>(value_);
  }
  // Returns null if the value is of another kind.
  const bool* boolean() const { return std::get_if<bool>(&value_); }
  const double* number() const { return std::get_if<double>(&value_); }
  const std::string* string() const {
    return std::get_if<std::string>(&value_);
  }
  const Array* array() const { return std::get_if<Array>(&value_); }
  const Object* object() const { return std::get_if<Object>(&value_); }
  // Returns the member of an object; null if it has none, or if this is not an
  // object.
  const Json* Find(absl::string_view key) const;
  // Returns the kind for messages, such as "a number".
  absl::string_view KindName() const;

 private:
  std::variant<std::monostate, bool, double, std::string, Array, Object> value_;
};

}  // namespace millrace

// Json: a text of JSON (RFC 8259) as values, such as configuration files.
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

  // INVALID_ARGUMENT with line and column for what is no JSON, a key given
  // twice, text after the value, and nesting deeper than 100.
  static StatusOr<Json> Parse(absl::string_view text);

  Json() = default;  // null
  template <class T>
  explicit Json(T value) : value_(std::move(value)) {}

  bool is_null() const {
    return std::holds_alternative<std::monostate>(value_);
  }
  // Null if the value is of another kind.
  const bool* boolean() const { return std::get_if<bool>(&value_); }
  const double* number() const { return std::get_if<double>(&value_); }
  const std::string* string() const {
    return std::get_if<std::string>(&value_);
  }
  const Array* array() const { return std::get_if<Array>(&value_); }
  const Object* object() const { return std::get_if<Object>(&value_); }
  // The member of an object; null if there is none, or this is no object.
  const Json* Find(absl::string_view key) const;
  // "a number", for messages.
  absl::string_view KindName() const;

 private:
  std::variant<std::monostate, bool, double, std::string, Array, Object> value_;
};

}  // namespace millrace

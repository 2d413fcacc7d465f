// The compile-time check of op signatures: an error in a declaration's text
// stops the compiler at the call of a function named after the error.
#pragma once

#include <string_view>

namespace millrace::internal {

// Not constexpr on purpose: calling one of these in a constant expression is
// the compile error, and its name describes it.
void SignatureNeedsANameBeforeTheColon();
void SignatureNeedsAColon();
void SignatureHasAnUnknownType();
void SignatureHasUnbalancedBrackets();
void SignatureHasAnUnknownAttrKind();

constexpr bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_';
}

constexpr std::string_view Strip(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\n'))
    s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\n'))
    s.remove_suffix(1);
  return s;
}

// Removes the part before the first `separator` outside brackets and quotes
// from the front of `rest`, and returns it.
constexpr std::string_view NextPart(std::string_view& rest, char separator) {
  int depth = 0;
  char quote = 0;
  size_t i = 0;
  for (; i < rest.size(); ++i) {
    const char c = rest[i];
    if (quote) {
      if (c == '\\' && i + 1 < rest.size()) {
        ++i;
      } else if (c == quote) {
        quote = 0;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '{' || c == '[') {
      ++depth;
    } else if (c == ')' || c == '}' || c == ']') {
      if (--depth < 0) SignatureHasUnbalancedBrackets();
    } else if (c == separator && depth == 0) {
      break;
    }
  }
  if (depth != 0 || quote) SignatureHasUnbalancedBrackets();
  const std::string_view part = Strip(rest.substr(0, i));
  rest = i < rest.size() ? rest.substr(i + 1) : std::string_view();
  return part;
}

constexpr bool IsName(std::string_view s) {
  if (s.empty() || (s[0] >= '0' && s[0] <= '9')) return false;
  for (char c : s) {
    if (!IsWord(c)) return false;
  }
  return true;
}

constexpr bool IsTypeName(std::string_view s) {
  constexpr std::string_view kNames[] = {
      "float", "double", "int32", "uint8", "int16", "int8", "string",
      "complex64", "int64", "bool", "qint8", "quint8", "qint32", "bfloat16",
      "qint16", "quint16", "uint16", "complex128", "half", "resource",
      "variant", "uint32", "uint64",
      // Known by name, refused at run time.
      "float8_e5m2", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz",
      "float8_e5m2fnuz", "int4", "uint4", "int2", "uint2", "float4_e2m1fn"};
  for (std::string_view n : kNames) {
    if (n == s) return true;
  }
  return false;
}

// Returns whether `attrs` declares an attribute called `name`.
constexpr bool HasAttr(std::string_view attrs, std::string_view name) {
  while (!attrs.empty()) {
    std::string_view part = NextPart(attrs, ';');
    if (Strip(NextPart(part, ':')) == name) return true;
  }
  return false;
}

constexpr void CheckArgs(std::string_view args, std::string_view attrs) {
  while (!args.empty()) {
    std::string_view type = NextPart(args, ',');
    const std::string_view name = NextPart(type, ':');
    if (!IsName(name)) SignatureNeedsANameBeforeTheColon();
    if (Strip(type).empty()) SignatureNeedsAColon();
    std::string_view rest = Strip(type);
    if (rest.starts_with("Ref(") && rest.ends_with(")")) {
      rest = Strip(rest.substr(4, rest.size() - 5));
    }
    if (const size_t star = rest.find('*'); star != rest.npos) {
      if (!HasAttr(attrs, Strip(rest.substr(0, star))))
        SignatureHasAnUnknownType();
      rest = Strip(rest.substr(star + 1));
      if (rest.starts_with("Ref(") && rest.ends_with(")")) {
        rest = Strip(rest.substr(4, rest.size() - 5));
      }
    }
    if (!IsTypeName(rest) && !HasAttr(attrs, rest)) SignatureHasAnUnknownType();
  }
}

constexpr bool IsKind(std::string_view kind) {
  constexpr std::string_view kKinds[] = {
      "string", "int",  "float",      "bool",           "type",         "shape",
      "tensor", "func", "numbertype", "realnumbertype", "quantizedtype"};
  for (std::string_view k : kKinds) {
    if (k == kind) return true;
  }
  if (kind.starts_with("{") && kind.ends_with("}")) {
    std::string_view inner = kind.substr(1, kind.size() - 2);
    while (!inner.empty()) {
      const std::string_view item = NextPart(inner, ',');
      const bool quoted =
          item.size() >= 2 && (item[0] == '\'' || item[0] == '"');
      if (!quoted && !IsTypeName(item)) return false;
    }
    return true;
  }
  return false;
}

constexpr void CheckAttrs(std::string_view attrs) {
  while (!attrs.empty()) {
    std::string_view rest = NextPart(attrs, ';');
    if (rest.empty()) continue;
    if (!IsName(NextPart(rest, ':'))) SignatureNeedsANameBeforeTheColon();
    std::string_view kind = NextPart(rest, '=');
    // ">= 1" was split at its '=': remove the '>'.
    if (kind.ends_with(">")) kind = Strip(kind.substr(0, kind.size() - 1));
    if (kind.starts_with("list(") && kind.ends_with(")")) {
      kind = Strip(kind.substr(5, kind.size() - 6));
    }
    if (!IsKind(kind)) SignatureHasAnUnknownAttrKind();
  }
}

constexpr void CheckSignature(std::string_view inputs, std::string_view outputs,
                              std::string_view attrs) {
  CheckAttrs(attrs);
  CheckArgs(inputs, attrs);
  CheckArgs(outputs, attrs);
}

}  // namespace millrace::internal

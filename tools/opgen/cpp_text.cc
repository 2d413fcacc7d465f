#include "tools/opgen/cpp_text.h"

#include <cmath>
#include <limits>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace millrace::opgen {
namespace {

std::string TypeText(DataType type) {
  if (static_cast<int>(type) >= kDataTypeLimit) {
    return absl::StrCat("static_cast<DataType>(", static_cast<int>(type), ")");
  }
  std::string name = DataTypeName(type);
  name[0] = absl::ascii_toupper(name[0]);
  return absl::StrCat("DataType::k", name);
}

std::string IntText(int64_t value) {
  if (value == std::numeric_limits<int64_t>::min()) {
    return "std::numeric_limits<int64_t>::min()";
  }
  return absl::StrCat(value);
}

std::string FloatText(float value) {
  if (std::isnan(value)) return "std::numeric_limits<float>::quiet_NaN()";
  if (std::isinf(value)) {
    return absl::StrCat(value < 0 ? "-" : "",
                        "std::numeric_limits<float>::infinity()");
  }
  std::string text = absl::StrFormat("%.9g", value);
  if (std::strtof(absl::StrFormat("%g", value).c_str(), nullptr) == value) {
    text = absl::StrFormat("%g", value);
  }
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "f";
}

std::string StringText(absl::string_view value) {
  return absl::StrCat("\"", absl::CEscape(value), "\"");
}

std::string ShapeText(const PartialShape& shape) {
  if (!shape.known_rank()) return "PartialShape()";
  if (shape.rank() == 0) return "PartialShape::UnknownOfRank(0)";
  return absl::StrCat("PartialShape({", absl::StrJoin(shape.dims(), ", "),
                      "})");
}

template <class List, class F>
std::string ListText(const List& list, F f) {
  std::string text;
  for (const auto& value : list) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", f(value));
  }
  return text.empty() ? "" : absl::StrCat("= {", text, "}");
}

}  // namespace

std::string Identifier(absl::string_view name) {
  static const auto* const kTaken = new absl::flat_hash_set<absl::string_view>(
      {// keywords that may be words of a schema
       "and", "asm", "auto", "bool", "break", "case", "catch", "char", "class",
       "concept", "const", "continue", "default", "delete", "do", "double",
       "else", "enum", "explicit", "export", "extern", "false", "float", "for",
       "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace",
       "new", "not", "operator", "or", "private", "protected", "public",
       "register", "requires", "return", "short", "signed", "sizeof", "static",
       "struct", "switch", "template", "this", "throw", "true", "try",
       "typedef", "typename", "union", "unsigned", "using", "virtual", "void",
       "volatile", "while", "xor",
       // names used by the wrappers
       "scope", "options", "op", "operation"});
  return absl::StrCat(name, kTaken->contains(name) ? "_" : "");
}

std::string AttrCppType(absl::string_view kind) {
  absl::string_view element = kind;
  if (absl::ConsumePrefix(&element, "list(")) {
    absl::ConsumeSuffix(&element, ")");
    return absl::StrCat("std::vector<", AttrCppType(element), ">");
  }
  if (kind == "int") return "int64_t";
  if (kind == "float" || kind == "bool") return std::string(kind);
  if (kind == "type") return "DataType";
  if (kind == "shape") return "PartialShape";
  if (kind == "tensor") return "Tensor";
  if (kind == "func") return "NameAttrList";
  return "std::string";
}

std::string AttrCppParameter(absl::string_view kind) {
  const std::string type = AttrCppType(kind);
  if (kind == "int" || kind == "float" || kind == "bool" || kind == "type")
    return type;
  return absl::StrCat("const ", type, "&");
}

std::string DefaultInitializer(const AttrValue& value) {
  if (const auto* v = value.get<std::string>())
    return v->empty() ? "" : "= " + StringText(*v);
  if (const auto* v = value.get<int64_t>()) return "= " + IntText(*v);
  if (const auto* v = value.get<float>()) return "= " + FloatText(*v);
  if (const auto* v = value.get<bool>()) return *v ? "= true" : "= false";
  if (const auto* v = value.get<DataType>()) return "= " + TypeText(*v);
  if (const auto* v = value.get<PartialShape>()) {
    return v->known_rank() ? "= " + ShapeText(*v) : "";
  }
  if (const auto* v = value.get<AttrValue::StringList>())
    return ListText(*v, StringText);
  if (const auto* v = value.get<AttrValue::IntList>())
    return ListText(*v, IntText);
  if (const auto* v = value.get<AttrValue::FloatList>())
    return ListText(*v, FloatText);
  if (const auto* v = value.get<AttrValue::BoolList>()) {
    return ListText(*v, [](bool b) { return b ? "true" : "false"; });
  }
  if (const auto* v = value.get<AttrValue::TypeList>())
    return ListText(*v, TypeText);
  if (const auto* v = value.get<AttrValue::ShapeList>())
    return ListText(*v, ShapeText);
  return "";
}

std::string Comment(absl::string_view text) {
  std::string out;
  for (absl::string_view paragraph :
       absl::StrSplit(absl::StripAsciiWhitespace(text), '\n')) {
    std::string line = "//";
    for (absl::string_view word :
         absl::StrSplit(paragraph, absl::ByAnyChar(" \t"), absl::SkipEmpty())) {
      if (line.size() > 2 && line.size() + 1 + word.size() > 80) {
        absl::StrAppend(&out, line, "\n");
        line = "//";
      }
      absl::StrAppend(&line, " ", word);
    }
    absl::StrAppend(&out, line, "\n");
  }
  return out;
}

}  // namespace millrace::opgen

#include "tools/opgen/python_wrapper.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace millrace::opgen {
namespace {

constexpr absl::string_view kKeywords[] = {
    "False",  "None",   "True",    "and",      "as",       "assert", "async",
    "await",  "break",  "class",   "continue", "def",      "del",    "elif",
    "else",   "except", "finally", "for",      "from",     "global", "if",
    "import", "in",     "is",      "lambda",   "nonlocal", "not",    "or",
    "pass",   "raise",  "return",  "try",      "while",    "with",   "yield",
    "name",   "print"};

bool IsKeyword(absl::string_view word) {
  return std::find(std::begin(kKeywords), std::end(kKeywords), word) !=
         std::end(kKeywords);
}

bool ComesFromInputs(const OpDef& op, absl::string_view attr) {
  return std::any_of(
      op.inputs.begin(), op.inputs.end(), [&](const ArgDef& arg) {
        return arg.type_attr == attr || arg.number_attr == attr ||
               arg.type_list_attr == attr;
      });
}

std::string Argument(absl::string_view name) {
  return IsKeyword(name) ? absl::StrCat(name, "_") : std::string(name);
}

std::string Quoted(absl::string_view text) {
  return absl::StrCat("\"", absl::CHexEscape(text), "\"");
}

std::string Float(float v) {
  if (std::isinf(v)) return v > 0 ? "float(\"inf\")" : "float(\"-inf\")";
  if (std::isnan(v)) return "float(\"nan\")";
  std::string text;
  for (int digits = 1; digits <= 9;
       ++digits) {  // the shortest that is this number again
    text = absl::StrFormat("%.*g", digits, v);
    if (std::stof(text) == v) break;
  }
  const bool whole = text.find_first_of(".en") == std::string::npos;
  return whole ? absl::StrCat(text, ".0") : text;
}

std::string PythonType(DataType t) {
  std::string name = DataTypeName(t);
  if (name == "float") name = "float32";
  if (name == "double") name = "float64";
  if (name == "half") name = "float16";
  return absl::StrCat("_dtypes.", name);
}

std::string PythonShape(const PartialShape& s) {
  if (!s.known_rank()) return "None";
  return absl::StrCat("[", absl::StrJoin(s.dims(), ", "), "]");
}

// Python's text of a default. Tensors and functions are left to the schema.
struct Literal {
  std::string operator()(const std::string& v) const { return Quoted(v); }
  std::string operator()(int64_t v) const { return absl::StrCat(v); }
  std::string operator()(float v) const { return Float(v); }
  std::string operator()(bool v) const { return v ? "True" : "False"; }
  std::string operator()(DataType v) const { return PythonType(v); }
  std::string operator()(const PartialShape& v) const { return PythonShape(v); }
  std::string operator()(const AttrValue::EmptyList&) const { return "[]"; }
  std::string operator()(const AttrValue::TensorList&) const { return "[]"; }
  std::string operator()(const AttrValue::FuncList&) const { return "[]"; }
  template <class T>
  std::string operator()(const std::vector<T>& list) const {
    std::vector<std::string> texts;
    for (const auto& v : list) texts.push_back((*this)(T(v)));
    return absl::StrCat("[", absl::StrJoin(texts, ", "), "]");
  }
  template <class T>
  std::string operator()(const T&) const {
    return "None";
  }
};

std::vector<const AttrDef*> Parameters(const OpDef& op) {
  std::vector<const AttrDef*> list;
  for (const bool with_default : {false, true}) {
    for (const AttrDef& attr : op.attrs) {
      if (attr.default_value.has_value() == with_default &&
          !ComesFromInputs(op, attr.name))
        list.push_back(&attr);
    }
  }
  return list;
}

std::string AttrArgument(const OpDef& op, const AttrDef& attr) {
  const bool clash =
      std::any_of(op.inputs.begin(), op.inputs.end(),
                  [&](const ArgDef& arg) { return arg.name == attr.name; });
  return clash ? absl::StrCat(attr.name, "_attr") : Argument(attr.name);
}

std::string Tuple(const std::vector<std::string>& items) {
  return absl::StrCat("(", absl::StrJoin(items, ", "),
                      items.size() == 1 ? "," : "", ")");
}

bool HasMany(const ArgDef& arg) {
  return !arg.number_attr.empty() || !arg.type_list_attr.empty();
}

std::string ReturnAnnotation(const OpDef& op) {
  if (op.outputs.empty()) return "_Operation";
  if (op.outputs.size() == 1)
    return HasMany(op.outputs[0]) ? "_List[_Tensor]" : "_Tensor";
  return "_Any";
}

std::string AttrAnnotation(absl::string_view kind) {
  if (kind == "bool" || kind == "int" || kind == "float")
    return std::string(kind);
  if (kind == "string") return "_Union[str, bytes]";
  return "_Any";
}

std::string Stub(const OpDef& op) {
  std::vector<std::string> parameters;
  for (const ArgDef& arg : op.inputs)
    parameters.push_back(absl::StrCat(Argument(arg.name), ": _Any"));
  for (const AttrDef* attr : Parameters(op)) {
    parameters.push_back(absl::StrCat(AttrArgument(op, *attr), ": ",
                                      AttrAnnotation(attr->kind),
                                      attr->default_value ? " = ..." : ""));
  }
  parameters.push_back("name: _Optional[str] = None");
  return absl::StrCat("def ", PythonName(op.name), "(",
                      absl::StrJoin(parameters, ", "), ") -> ",
                      ReturnAnnotation(op), ": ...\n");
}

std::string Doc(const OpDef& op) {
  std::string doc = op.doc.substr(0, op.doc.find("\n\n"));
  absl::StrReplaceAll({{"\\", "\\\\"}, {"\"\"\"", "'''"}, {"\n", " "}}, &doc);
  if (!doc.empty() && doc.back() == '"') doc += " ";
  return doc;
}

bool IsWrapped(const OpDef& op) { return !absl::StartsWith(op.name, "_"); }

std::string ModuleOf(const std::string& function) {
  const char letter = function[0] == '_' ? function[1] : function[0];
  return absl::StrCat("ops_", std::string(1, letter));
}

constexpr char kInit[] =
    R"py("""Wrappers of all ops, made from their schemas: gen.mat_mul(a, b), and gen.op("MatMul", [a, b], {...}).

Inputs are tensors or what can be converted to one; a wrapper returns a tensor, a list of tensors, a named tuple of them if the op has
several outputs, or an operation if it has none.
"""

import importlib

# These give the extension what it asks Python for.
from millrace.framework import graph as _graph  # noqa: F401
from millrace.framework import op_maker as _op_maker
from millrace.gen.index import FUNCTIONS


def op(op_type, inputs=(), attrs=None, name=None):
  """Makes an op of any type: inputs in the order of its schema, attributes by their names."""
  return _op_maker.op(op_type, inputs, attrs, name)


def __getattr__(name):
  function = name if name in FUNCTIONS else name[1:]  # "_abs" as well, as some of TensorFlow's are called
  if function not in FUNCTIONS or name not in (function, "_" + function):
    raise AttributeError("module 'millrace.gen' has no attribute %r" % (name,))
  module = importlib.import_module("millrace.gen.ops_" + function.lstrip("_")[0])
  globals()[name] = found = getattr(module, function)
  return found


def __dir__():
  return sorted(FUNCTIONS) + ["op"]
)py";

}  // namespace

std::string PythonName(absl::string_view op) {
  std::string name;
  for (size_t i = 0; i < op.size(); ++i) {
    const auto at = [&](size_t k) { return static_cast<unsigned char>(op[k]); };
    if (op[i] == '>') {
      name += '_';
      continue;
    }
    const bool begins = absl::ascii_isupper(at(i)) && i > 0 &&
                        (absl::ascii_islower(at(i - 1)) ||
                         (i + 1 < op.size() && absl::ascii_islower(at(i + 1))));
    if (begins && op[i - 1] != '>') name += '_';
    name += static_cast<char>(absl::ascii_tolower(at(i)));
  }
  return IsKeyword(name) ? absl::StrCat("_", name) : name;
}

std::string PythonParameters(const OpDef& op) {
  std::vector<std::string> parameters;
  for (const ArgDef& arg : op.inputs) parameters.push_back(Argument(arg.name));
  for (const AttrDef* attr : Parameters(op)) {
    parameters.push_back(
        attr->default_value
            ? absl::StrCat(AttrArgument(op, *attr), "=",
                           std::visit(Literal(), attr->default_value->value()))
            : AttrArgument(op, *attr));
  }
  parameters.push_back("name=None");
  return absl::StrJoin(parameters, ", ");
}

std::string PythonWrapper(const OpDef& op) {
  std::vector<std::string> inputs, attrs;
  for (const ArgDef& arg : op.inputs) inputs.push_back(Argument(arg.name));
  for (const AttrDef* attr : Parameters(op))
    attrs.push_back(AttrArgument(op, *attr));
  const std::string doc = Doc(op);
  return absl::StrCat(
      "\n\ndef ", PythonName(op.name), "(", PythonParameters(op), "):\n",
      doc.empty() ? "" : absl::StrCat("  \"\"\"", doc, "\"\"\"\n"),
      "  return _apply(\"", op.name, "\", name, ", Tuple(inputs), ", ",
      Tuple(attrs), ")\n");
}

std::map<std::string, std::string> PythonPackage(const OpRegistry& ops) {
  std::map<std::string, const OpDef*> functions;
  for (const auto& op : ops.ops()) {
    if (IsWrapped(*op)) functions[PythonName(op->name)] = op.get();
  }
  std::map<std::string, std::string> files;
  std::string index =
      "\"\"\"The op type of each function.\"\"\"\n\nFUNCTIONS = {\n";
  std::string stubs =
      "from typing import Any as _Any, List as _List, Optional as _Optional, "
      "Union as _Union\n"
      "from millrace.framework.operation import Operation as _Operation\n"
      "from millrace.framework.tensor import Tensor as _Tensor\n\n"
      "def op(op_type: str, inputs: _Any = ..., attrs: _Any = ..., name: "
      "_Optional[str] = None) -> _Any: ...\n";
  for (const auto& [function, op] : functions) {
    std::string& text = files[absl::StrCat(ModuleOf(function), ".py")];
    if (text.empty()) {
      text =
          "\"\"\"Wrappers of ops, made from their schemas.\"\"\"\n\n"
          "from millrace._binding import apply as _apply\nfrom "
          "millrace.framework import dtypes as _dtypes\n";
    }
    text += PythonWrapper(*op);
    absl::StrAppend(&index, "  \"", function, "\": \"", op->name, "\",\n");
    stubs += Stub(*op);
  }
  files["index.py"] = index + "}\n";
  files["__init__.py"] = kInit;
  files["__init__.pyi"] = stubs;
  return files;
}

}  // namespace millrace::opgen

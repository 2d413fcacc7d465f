#include "tools/opgen/wrapper.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/opgen/cpp_text.h"

namespace millrace::opgen {
namespace {

bool IsList(const ArgDef& arg) {
  return !arg.number_attr.empty() || !arg.type_list_attr.empty();
}

bool IsInferred(const OpDef& op, absl::string_view attr) {
  return std::any_of(
      op.inputs.begin(), op.inputs.end(), [&](const ArgDef& arg) {
        return arg.type_attr == attr || arg.number_attr == attr ||
               arg.type_list_attr == attr;
      });
}

// Tensors and functions have no literal: their members are optional.
bool IsOptionalMember(const AttrDef& attr) {
  return attr.kind == "tensor" || attr.kind == "func";
}

// An attribute may have the name of an input.
std::string ParameterName(const OpDef& op, const AttrDef& attr) {
  const bool clash =
      std::any_of(op.inputs.begin(), op.inputs.end(),
                  [&](const ArgDef& arg) { return arg.name == attr.name; });
  return clash ? absl::StrCat(attr.name, "_attr") : Identifier(attr.name);
}

const char* OutputType(const ArgDef& arg) {
  return IsList(arg) ? "std::vector<Output>" : "Output";
}

std::string ReturnType(const OpDef& op) {
  if (op.outputs.empty()) return "Operation";
  if (op.outputs.size() == 1) return OutputType(op.outputs[0]);
  return absl::StrCat(op.name, "Outputs");
}

// Defaults of parameters are written in a wrapper's declaration.
enum class SignatureOf { kDeclaration, kDefinition };

std::string Signature(const OpDef& op, SignatureOf place) {
  const WrapperAttrs attrs = ClassifyAttrs(op);
  std::vector<std::string> parameters = {"const Scope& scope"};
  for (const ArgDef& arg : op.inputs) {
    parameters.push_back(
        absl::StrCat(IsList(arg) ? "const InputList& " : "const Input& ",
                     Identifier(arg.name)));
  }
  for (const AttrDef* attr : attrs.positional) {
    parameters.push_back(absl::StrCat(AttrCppParameter(attr->kind), " ",
                                      ParameterName(op, *attr)));
  }
  if (!attrs.optional.empty()) {
    parameters.push_back(
        absl::StrCat("const ", op.name, "Options& options",
                     place == SignatureOf::kDeclaration ? " = {}" : ""));
  }
  const std::string head = absl::StrCat(ReturnType(op), " ", op.name, "(");
  const std::string line =
      absl::StrCat(head, absl::StrJoin(parameters, ", "), ")");
  if (line.size() < 80) return line;
  return absl::StrCat(head, "\n    ", absl::StrJoin(parameters, ",\n    "),
                      ")");
}

}  // namespace

bool HasWrapper(const OpDef& op) {
  return !absl::StartsWith(op.name, "_") && op.deprecated_version == 0 &&
         op.name != "Const" && op.name != "Variable";
}

WrapperAttrs ClassifyAttrs(const OpDef& op) {
  WrapperAttrs result;
  for (const AttrDef& attr : op.attrs) {
    if (IsInferred(op, attr.name)) continue;
    (attr.default_value ? result.optional : result.positional).push_back(&attr);
  }
  return result;
}

std::string DeclareWrapper(const OpDef& op) {
  std::string text;
  const WrapperAttrs attrs = ClassifyAttrs(op);
  if (!attrs.optional.empty()) {
    absl::StrAppend(&text, "struct ", op.name, "Options {\n");
    for (const AttrDef* attr : attrs.optional) {
      std::string type = AttrCppType(attr->kind);
      std::string initializer;
      if (IsOptionalMember(*attr)) {
        type = absl::StrCat("std::optional<", type, ">");
      } else {
        initializer = DefaultInitializer(*attr->default_value);
      }
      absl::StrAppend(&text, "  ", type, " ", Identifier(attr->name),
                      initializer.empty() ? "" : " ", initializer, ";\n");
    }
    absl::StrAppend(&text, "};\n");
  }
  if (op.outputs.size() > 1) {
    absl::StrAppend(&text, "struct ", op.name, "Outputs {\n");
    for (const ArgDef& arg : op.outputs) {
      absl::StrAppend(&text, "  ", OutputType(arg), " ", Identifier(arg.name),
                      ";\n");
    }
    absl::StrAppend(&text, "  Operation operation;\n};\n");
  }
  if (!op.doc.empty()) absl::StrAppend(&text, Comment(op.doc));
  absl::StrAppend(&text, Signature(op, SignatureOf::kDeclaration), ";\n");
  return text;
}

std::string DefineWrapper(const OpDef& op) {
  std::string text =
      absl::StrCat(Signature(op, SignatureOf::kDefinition),
                   " {\n  OpBuilder op(scope, \"", op.name, "\");\n");
  std::string chain;
  for (const ArgDef& arg : op.inputs) {
    absl::StrAppend(&chain, ".In(", Identifier(arg.name), ")");
  }
  const WrapperAttrs attrs = ClassifyAttrs(op);
  for (const AttrDef* attr : attrs.positional) {
    absl::StrAppend(&chain, "\n      .Attr(\"", attr->name, "\", ",
                    ParameterName(op, *attr), ")");
  }
  for (const AttrDef* attr : attrs.optional) {
    absl::StrAppend(&chain, "\n      .Attr(\"", attr->name, "\", options.",
                    Identifier(attr->name), ")");
  }
  if (!chain.empty()) absl::StrAppend(&text, "  op", chain, ";\n");
  if (op.outputs.empty())
    return absl::StrCat(text, "  return op.Finish();\n}\n");
  absl::StrAppend(&text, op.outputs.size() > 1
                             ? "  const Operation operation = op.Finish();\n"
                             : "  op.Finish();\n");
  std::vector<std::string> results;
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    results.push_back(absl::StrCat(
        IsList(op.outputs[i]) ? "op.OutList(" : "op.Out(", i, ")"));
  }
  if (results.size() == 1)
    return absl::StrCat(text, "  return ", results[0], ";\n}\n");
  return absl::StrCat(text, "  return {", absl::StrJoin(results, ", "),
                      ", operation};\n}\n");
}

std::string WrapperHeader(const OpRegistry& ops) {
  std::string text =
      "// Generated by opgen from the schemas: a function for each op.\n"
      "//\n"
      "// Inputs come first, then attributes that have no default, then "
      "options:\n"
      "//   Output y = ops::MatMul(scope, a, b, {.transpose_b = true});\n"
      "// See op_builder.h for how types are inferred and errors reported.\n"
      "#pragma once\n\n"
      "#include <cstdint>\n#include <limits>\n#include <optional>\n#include "
      "<string>\n"
      "#include <vector>\n\n"
      "#include \"millrace/client/input.h\"\n"
      "#include \"millrace/client/scope.h\"\n\n"
      "namespace millrace::ops {\n";
  for (const auto& op : ops.ops()) {
    if (HasWrapper(*op)) absl::StrAppend(&text, "\n", DeclareWrapper(*op));
  }
  return text + "\n}  // namespace millrace::ops\n";
}

std::string WrapperSource(const OpRegistry& ops) {
  std::string text =
      "// Generated by opgen from the schemas.\n"
      "#include \"millrace/client/ops.gen.h\"\n\n"
      "#include \"millrace/client/op_builder.h\"\n\n"
      "namespace millrace::ops {\n";
  for (const auto& op : ops.ops()) {
    if (HasWrapper(*op)) absl::StrAppend(&text, "\n", DefineWrapper(*op));
  }
  return text + "\n}  // namespace millrace::ops\n";
}

}  // namespace millrace::opgen

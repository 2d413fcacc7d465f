#include "tools/opdocs/op_page.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace millrace::opdocs {
namespace {

std::string ArgText(const ArgDef& arg) {
  std::string type = !arg.type_list_attr.empty() ? arg.type_list_attr
                     : !arg.type_attr.empty()    ? arg.type_attr
                                                 : DataTypeName(arg.type);
  if (arg.is_ref) type = absl::StrCat("Ref(", type, ")");
  if (!arg.number_attr.empty())
    type = absl::StrCat(arg.number_attr, " * ", type);
  return absl::StrCat(arg.name, ": ", type);
}

std::string ArgsText(const std::vector<ArgDef>& args) {
  std::vector<std::string> texts;
  for (const ArgDef& arg : args) texts.push_back(ArgText(arg));
  return absl::StrJoin(texts, ", ");
}

std::string TypesText(const std::vector<DataType>& types) {
  std::vector<std::string> names;
  for (DataType type : types) names.push_back(DataTypeName(type));
  std::sort(names.begin(), names.end());
  return absl::StrJoin(names, ", ");
}

// Escapes `text` for Markdown; its only markup is `code`.
std::string Escaped(absl::string_view text) {
  std::string escaped;
  bool is_code = false;
  for (const char c : text) {
    if (c == '`') is_code = !is_code;
    if (!is_code && (c == '<' || c == '>')) {
      absl::StrAppend(&escaped, c == '<' ? "&lt;" : "&gt;");
      continue;
    }
    if (!is_code && (c == '*' || c == '_' || c == '[' || c == ']')) {
      escaped.push_back('\\');
    }
    escaped.push_back(c);
  }
  return escaped;
}

// In a table a bar would end the cell.
std::string Cell(absl::string_view text) {
  return absl::StrReplaceAll(Escaped(text), {{"|", "\\|"}});
}

void AppendKernels(const OpDef& op, const KernelTable& kernels,
                   std::string* page) {
  for (const char* device : {"CPU", "GPU"}) {
    std::vector<std::string> lines;
    for (const KernelTable::Row& row : kernels.Rows(device, op.name)) {
      std::vector<std::string> types;
      for (const auto& constraint : row.constraints) {
        types.push_back(absl::StrCat(constraint.attr, " in {",
                                     TypesText(constraint.types), "}"));
      }
      const std::string line =
          types.empty() ? "any type" : absl::StrJoin(types, "; ");
      if (std::find(lines.begin(), lines.end(), line) == lines.end())
        lines.push_back(line);
    }
    for (const std::string& line : lines) {
      absl::StrAppend(page, "- ", device, ": ", line, "\n");
    }
  }
}

void AppendOp(const OpFacts& facts, const KernelTable& kernels,
              std::string* page) {
  const OpDef& op = *facts.op;
  absl::StrAppend(page, "\n## ", op.name, "\n\n");
  if (!op.doc.empty()) absl::StrAppend(page, Escaped(op.doc), "\n\n");
  absl::StrAppend(page, "    ", SignatureText(op), "\n\n");
  if (!op.attrs.empty()) {
    absl::StrAppend(page, "| attribute | may be | default |\n|---|---|---|\n");
    for (const AttrDef& attr : op.attrs) {
      absl::StrAppend(
          page, "| ", attr.name, " | ", Cell(AttrText(attr)), " | ",
          attr.default_value ? Cell(attr.default_value->DebugString()) : "",
          " |\n");
    }
    absl::StrAppend(page, "\n");
  }
  AppendKernels(op, kernels, page);
  if (facts.has_gradient) absl::StrAppend(page, "- Gradient: yes.\n");
  if (facts.is_flat)
    absl::StrAppend(page, "- Gradient: none, nothing goes back through it.\n");
  if (op.Is(kStateful)) absl::StrAppend(page, "- Stateful.\n");
  if (op.Is(kCommutative)) absl::StrAppend(page, "- Commutative.\n");
  if (op.deprecated_version != 0) {
    absl::StrAppend(page, "- Refused in graphs of version ",
                    op.deprecated_version, " and newer. ", op.deprecated_hint,
                    "\n");
  }
}

}  // namespace

std::string SignatureText(const OpDef& op) {
  return absl::StrCat(op.name, "(", ArgsText(op.inputs), ") -> (",
                      ArgsText(op.outputs), ")");
}

std::string AttrText(const AttrDef& attr) {
  std::string text = attr.kind;
  if (const auto* types = attr.allowed.get<AttrValue::TypeList>()) {
    absl::StrAppend(&text, " in {", TypesText(*types), "}");
  } else if (const auto* strings = attr.allowed.get<AttrValue::StringList>()) {
    absl::StrAppend(&text, " in {", absl::StrJoin(*strings, ", "), "}");
  }
  if (attr.minimum) absl::StrAppend(&text, " >= ", *attr.minimum);
  return text;
}

std::string FamilyPage(absl::string_view family,
                       const std::vector<OpFacts>& ops,
                       const KernelTable& kernels) {
  std::vector<OpFacts> sorted;
  for (const OpFacts& facts : ops) {
    if (!absl::StartsWith(facts.op->name, "_")) sorted.push_back(facts);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const OpFacts& a, const OpFacts& b) {
              return a.op->name < b.op->name;
            });
  std::string page =
      absl::StrCat("# Ops: ", family, "\n\nGenerated by opdocs. ",
                   sorted.size(), " ops, in `millrace/ops/", family, "`.\n");
  for (const OpFacts& facts : sorted) AppendOp(facts, kernels, &page);
  return page;
}

}  // namespace millrace::opdocs

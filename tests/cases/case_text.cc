#include "tests/cases/case_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace millrace::cases {
namespace {

constexpr size_t kMostOfAttr = 40, kMost = 120;

// Returns the text, or its beginning and "...".
std::string Shortened(std::string text, size_t most) {
  if (text.size() <= most) return text;
  text.resize(most - 3);
  return text + "...";
}

std::string ValueText(const Value& value) {
  if (value.kind == Value::Kind::kNode) return value.node;
  const char* kind = value.kind == Value::Kind::kVariable ? "variable "
                     : value.kind == Value::Kind::kUninitialized
                         ? "uninitialized "
                         : "";
  return absl::StrCat(kind, DataTypeName(value.tensor.dtype()), " ",
                      value.tensor.shape().DebugString());
}

std::string NodeText(const CaseNode& node) {
  std::string text = absl::StrJoin(
      node.inputs, ", ",
      [](std::string* out, const Value& v) { *out += ValueText(v); });
  for (const auto& [name, value] : node.attrs) {
    absl::StrAppend(&text, text.empty() ? "" : "; ", name, "=",
                    Shortened(value.DebugString(), kMostOfAttr));
  }
  return text;
}

}  // namespace

std::string CaseText(const Case& c) {
  const auto node =
      std::find_if(c.nodes.begin(), c.nodes.end(),
                   [&](const CaseNode& n) { return n.op == c.op; });
  const std::string text = node == c.nodes.end() ? "" : NodeText(*node);
  return absl::StrCat(
      c.op, ", ", c.options.name,
      text.empty() ? "" : absl::StrCat(" (", Shortened(text, kMost - 3), ")"));
}

}  // namespace millrace::cases

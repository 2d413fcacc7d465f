#include "millrace/graph/attr/attr_text.h"

#include <type_traits>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace millrace {
namespace {

// Longer values are shortened: messages are sent in RPC statuses.
constexpr size_t kMaxStringChars = 80;
constexpr size_t kMaxListItems = 50;

struct Text {
  std::string operator()(std::monostate) const {
    return "<Unknown AttrValue type>";
  }
  std::string operator()(const std::string& v) const {
    if (v.size() <= kMaxStringChars)
      return absl::StrCat("\"", absl::CEscape(v), "\"");
    constexpr size_t kEnd = 10;
    return absl::StrCat(
        "\"",
        absl::CEscape(absl::string_view(v).substr(0, kMaxStringChars - kEnd)),
        "...", absl::CEscape(absl::string_view(v).substr(v.size() - kEnd)),
        "\"");
  }
  std::string operator()(int64_t v) const { return absl::StrCat(v); }
  std::string operator()(float v) const { return absl::StrCat(v); }
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(DataType v) const { return AttrTypeName(v); }
  std::string operator()(const PartialShape& v) const {
    return v.DebugString();
  }
  std::string operator()(const Tensor& v) const { return v.DebugString(); }
  std::string operator()(const AttrValue::Func& v) const {
    if (!v) return "";
    return absl::StrCat(
        v->name, "[",
        absl::StrJoin(v->attrs.begin(), v->attrs.end(), ", ",
                      [](std::string* out, const AttrMap::Entry& e) {
                        absl::StrAppend(out, e.first, "=",
                                        e.second.DebugString());
                      }),
        "]");
  }
  std::string operator()(const AttrPlaceholder& v) const {
    return absl::StrCat("$", v.name);
  }
  std::string operator()(AttrValue::EmptyList) const { return "[]"; }
  template <class T>
  std::string operator()(const std::vector<T>& list) const {
    std::string out = "[";
    for (size_t i = 0; i < list.size(); ++i) {
      if (i == kMaxListItems) {
        absl::StrAppend(&out, ", ... ", list.size() - i, " more");
        break;
      }
      absl::StrAppend(&out, i ? ", " : "", (*this)(list[i]));
    }
    return out + "]";
  }
};

constexpr const char* kKinds[] = {
    "",           "string",       "int",          "float",       "bool",
    "type",       "shape",        "tensor",       "func",        "placeholder",
    "list",       "list(string)", "list(int)",    "list(float)", "list(bool)",
    "list(type)", "list(shape)",  "list(tensor)", "list(func)"};
static_assert(std::size(kKinds) == std::variant_size_v<AttrValue::Value>);

std::string ArgText(const ArgDef& arg) {
  std::string type = !arg.type_attr.empty()        ? arg.type_attr
                     : !arg.type_list_attr.empty() ? arg.type_list_attr
                                                   : DataTypeName(arg.type);
  if (arg.is_ref) type = absl::StrCat("Ref(", type, ")");
  return absl::StrCat(arg.name, ":", arg.number_attr,
                      arg.number_attr.empty() ? "" : "*", type);
}

std::string ArgTexts(const std::vector<ArgDef>& args) {
  return absl::StrJoin(args, ", ", [](std::string* out, const ArgDef& a) {
    *out += ArgText(a);
  });
}

}  // namespace

std::string AttrValue::kind() const { return kKinds[value_.index()]; }
bool AttrValue::IsKind(absl::string_view kind) const {
  return kind == kKinds[value_.index()];
}
std::string AttrValue::DebugString() const {
  return std::visit(Text(), value_);
}

std::string AttrTypeName(DataType type) {
  return absl::StrCat("DT_", absl::AsciiStrToUpper(DataTypeName(type)));
}

std::string TypeNames(absl::Span<const DataType> types) {
  return absl::StrJoin(types, ", ", [](std::string* out, DataType t) {
    *out += DataTypeName(t);
  });
}

std::string SummarizeOp(const OpDef& op) {
  std::string out =
      absl::StrCat("Op<name=", op.name, "; signature=", ArgTexts(op.inputs),
                   " -> ", ArgTexts(op.outputs));
  for (const AttrDef& a : op.attrs) {
    absl::StrAppend(&out, "; attr=", a.name, ":", a.kind);
    if (a.default_value)
      absl::StrAppend(&out, ",default=", a.default_value->DebugString());
    if (a.minimum) absl::StrAppend(&out, ",min=", *a.minimum);
    if (a.allowed.has_value())
      absl::StrAppend(&out, ",allowed=", a.allowed.DebugString());
  }
  if (op.Is(kCommutative)) out += "; is_commutative=true";
  if (op.Is(kAggregate)) out += "; is_aggregate=true";
  if (op.Is(kStateful)) out += "; is_stateful=true";
  if (op.Is(kAllowsUninitialized)) out += "; allows_uninitialized_input=true";
  return out + ">";
}

std::string NodeMark(absl::string_view name) {
  return absl::StrCat("{{node ", name, "}}");
}

std::string SummarizeNode(const NodeDef& node) {
  std::string out = absl::StrCat(NodeMark(node.name), " = ", node.op, "[");
  const char* separator = "";
  for (const auto& [name, value] : node.attrs) {
    absl::StrAppend(&out, separator, name, "=", value.DebugString());
    separator = ", ";
  }
  if (!node.device.empty())
    absl::StrAppend(&out, separator, "_device=\"", node.device, "\"");
  return absl::StrCat(out, "](", absl::StrJoin(node.inputs, ", "), ")");
}

Status WrongAttrKind(const AttrValue& value, absl::string_view expected) {
  if (!value.has_value()) {
    return InvalidArgument("AttrValue missing value with expected type '",
                           expected, "'");
  }
  return InvalidArgument("AttrValue had value with type '", value.kind(),
                         "' when '", expected, "' expected");
}

}  // namespace millrace

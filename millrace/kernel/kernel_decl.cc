#include "millrace/kernel/kernel_decl.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "millrace/tensor/dispatch.h"

namespace millrace {
namespace {

template <class... Ts>
void Append(Types<Ts...>, std::vector<DataType>* out) {
  (out->push_back(DataTypeOf<Ts>), ...);
}

Status ParseTypes(absl::string_view text, std::vector<DataType>* out) {
  for (absl::string_view word : absl::StrSplit(text, ',')) {
    word = absl::StripAsciiWhitespace(word);
    DataType type;
    if (word == "numbertype") {
      Append(NumericTypes{}, out);
    } else if (word == "realnumbertype") {
      Append(RealTypes{}, out);
    } else if (ParseDataType(word, &type) && !IsRef(type) &&
               static_cast<int>(type) < kDataTypeLimit) {
      out->push_back(type);
    } else {
      return InvalidArgument("unknown type '", word, "' in the kernel types '",
                             text, "'");
    }
  }
  return OkStatus();
}

StatusOr<std::vector<KernelTable::Constraint>> ParseConstraints(
    absl::string_view text) {
  std::vector<KernelTable::Constraint> constraints;
  for (absl::string_view part :
       absl::StrSplit(text, ';', absl::SkipWhitespace())) {
    const std::pair<absl::string_view, absl::string_view> halves =
        absl::StrSplit(part, absl::MaxSplits(':', 1));
    KernelTable::Constraint c;
    c.attr = std::string(absl::StripAsciiWhitespace(halves.first));
    if (c.attr.empty())
      return InvalidArgument("kernel types without an attribute: '", text, "'");
    MR_RETURN_IF_ERROR(ParseTypes(halves.second, &c.types));
    constraints.push_back(std::move(c));
  }
  return constraints;
}

bool Contains(const std::vector<DataType>& types, DataType type) {
  return std::find(types.begin(), types.end(), RemoveRef(type)) != types.end();
}

// Returns "DT_FLOAT", the form of types in stock TensorFlow's messages.
std::string ConstantName(DataType type) {
  return absl::StrCat("DT_", absl::AsciiStrToUpper(DataTypeName(type)));
}

std::string AttrText(const AttrValue& value) {
  if (const DataType* type = value.get<DataType>()) return ConstantName(*type);
  if (const auto* types = value.get<AttrValue::TypeList>()) {
    return absl::StrCat("[",
                        absl::StrJoin(*types, ", ",
                                      [](std::string* out, DataType t) {
                                        *out += ConstantName(t);
                                      }),
                        "]");
  }
  return value.DebugString();
}

std::string Key(absl::string_view device_type, absl::string_view op) {
  return absl::StrCat(device_type, "/", op);
}

}  // namespace

bool KernelTable::Row::Fits(const AttrMap& attrs) const {
  for (const Constraint& c : constraints) {
    const AttrValue* value = attrs.Find(c.attr);
    if (value == nullptr) return false;
    if (const DataType* type = value->get<DataType>()) {
      if (!Contains(c.types, *type)) return false;
    } else if (const auto* types = value->get<AttrValue::TypeList>()) {
      for (DataType t : *types) {
        if (!Contains(c.types, t)) return false;
      }
    }
  }
  return true;
}

const std::vector<DataType>* KernelTable::Row::Types(
    absl::string_view attr) const {
  for (const Constraint& c : constraints) {
    if (c.attr == attr) return &c.types;
  }
  return nullptr;
}

bool KernelTable::Row::IsHost(absl::string_view name, DataType type) const {
  if (!IsPlain(RemoveRef(type))) return true;
  for (absl::string_view word : absl::StrSplit(entry->host, ',')) {
    word = absl::StripAsciiWhitespace(word);
    if (word.empty()) continue;
    if (word == name || word == "*") return true;
    if (word == "int32" && RemoveRef(type) == DataType::kInt32) return true;
  }
  return false;
}

StatusOr<KernelTable> KernelTable::Build(
    absl::Span<const KernelDecl* const> decls) {
  KernelTable table;
  for (const KernelDecl* decl : decls) {
    auto [it, is_new] =
        table.rows_.try_emplace(Key(decl->device_type, decl->op));
    if (!is_new) {
      return InvalidArgument("kernels of ", decl->op, " for ",
                             decl->device_type, " are declared twice");
    }
    for (const KernelEntry& entry : decl->list.entries) {
      if (entry.make == nullptr) break;
      StatusOr<std::vector<Constraint>> constraints =
          ParseConstraints(entry.types);
      if (!constraints.ok()) {
        return Annotate(constraints.status(),
                        absl::StrCat(" (kernel of ", decl->op, ")"));
      }
      it->second.push_back({&entry, *std::move(constraints)});
    }
    if (it->second.empty())
      return InvalidArgument("kernels of ", decl->op, ": the list is empty");
  }
  return table;
}

absl::Span<const KernelTable::Row> KernelTable::Rows(
    absl::string_view device_type, absl::string_view op) const {
  const auto it = rows_.find(Key(device_type, op));
  return it == rows_.end() ? absl::Span<const Row>()
                           : absl::MakeConstSpan(it->second);
}

StatusOr<const KernelTable::Row*> KernelTable::FindRow(
    absl::string_view device_type, const OpDef& op,
    const AttrMap& attrs) const {
  for (const Row& row : Rows(device_type, op.name)) {
    if (row.Fits(attrs)) return &row;
  }
  return NoKernel(op.name, "", attrs, {std::string(device_type)});
}

StatusOr<const KernelEntry*> KernelTable::Find(absl::string_view device_type,
                                               const OpDef& op,
                                               const AttrMap& attrs) const {
  MR_ASSIGN_OR_RETURN(const Row* row, FindRow(device_type, op, attrs));
  return row->entry;
}

StatusOr<std::unique_ptr<Kernel>> OnHost(const KernelInit& init) {
  const NodeInfo& node = init.node();
  if (init.kernels() == nullptr) {
    return Internal("{{node ", node.name,
                    "}} runs on the host, but the CPU's kernels are not known");
  }
  MR_ASSIGN_OR_RETURN(
      const KernelEntry* entry,
      init.kernels()->Find(internal::kKernelDeviceCpu, *node.op, node.attrs));
  return entry->make(init);
}

bool KernelTable::Has(absl::string_view device_type, const OpDef& op,
                      const AttrMap& attrs) const {
  for (const Row& row : Rows(device_type, op.name)) {
    if (row.Fits(attrs)) return true;
  }
  return false;
}

bool KernelTable::HasOp(absl::string_view device_type,
                        absl::string_view op) const {
  return rows_.contains(Key(device_type, op));
}

std::string KernelTable::Describe(absl::string_view op) const {
  std::string text;
  for (const char* device_type : {"CPU", "GPU"}) {
    for (const Row& row : Rows(device_type, op)) {
      absl::StrAppend(&text, "  device='", device_type, "'");
      for (const Constraint& c : row.constraints) {
        absl::StrAppend(&text, "; ", c.attr, " in [",
                        absl::StrJoin(c.types, ", ",
                                      [](std::string* out, DataType t) {
                                        *out += ConstantName(t);
                                      }),
                        "]");
      }
      text += "\n";
    }
  }
  return text.empty() ? "  <no registered kernels>\n" : text;
}

Status KernelTable::NoKernel(absl::string_view op, absl::string_view node_name,
                             const AttrMap& attrs,
                             absl::Span<const std::string> device_types) const {
  std::string attr_text;
  for (const auto& [name, value] : attrs) {
    if (!name.empty() && name[0] == '_') continue;
    absl::StrAppend(&attr_text, attr_text.empty() ? "" : ", ", name, "=",
                    AttrText(value));
  }
  std::string node;
  if (!node_name.empty())
    node = absl::StrCat(" used by {{node ", node_name, "}}");
  return NotFound("No OpKernel was registered to support Op '", op, "'", node,
                  " with these attrs: [", attr_text, "]\nRegistered devices: [",
                  absl::StrJoin(device_types, ", "), "]\nRegistered kernels:\n",
                  Describe(op));
}

}  // namespace millrace

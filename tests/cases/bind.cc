#include "tests/cases/bind.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace millrace::cases {
namespace {

// Length of an argument by the attributes that are given, or -1.
int64_t KnownLength(const ArgDef& arg, const AttrMap& attrs) {
  if (!arg.number_attr.empty()) {
    const AttrValue* n = attrs.Find(arg.number_attr);
    return n && n->get<int64_t>() ? *n->get<int64_t>() : -1;
  }
  if (!arg.type_list_attr.empty()) {
    const AttrValue* types = attrs.Find(arg.type_list_attr);
    if (types && types->get<AttrValue::EmptyList>()) return 0;
    return types && types->get<AttrValue::TypeList>()
               ? static_cast<int64_t>(types->get<AttrValue::TypeList>()->size())
               : -1;
  }
  return 1;
}

const std::string& LengthAttr(const ArgDef& arg) {
  return arg.number_attr.empty() ? arg.type_list_attr : arg.number_attr;
}

// Sets the attributes that the inputs tell, where they are not given: lengths,
// types and lists of types; and `dtype` or `T` of an op that reads a variable.
Status InferAttrs(const OpDef& op, const std::vector<DataType>& types,
                  DataType variable_type, AttrMap* attrs) {
  int64_t known = 0;
  std::string unknown;
  int64_t uses = 0;
  for (const ArgDef& arg : op.inputs) {
    const int64_t n = KnownLength(arg, *attrs);
    if (n >= 0) {
      known += n;
    } else if (unknown.empty() || unknown == LengthAttr(arg)) {
      unknown = LengthAttr(arg);
      ++uses;
    } else {
      return InvalidArgument("lengths of ", unknown, " and ", LengthAttr(arg),
                             " of ", op.name, " must be given");
    }
  }
  int64_t length = 0;
  if (uses > 0) length = (static_cast<int64_t>(types.size()) - known) / uses;
  size_t at = 0;
  for (const ArgDef& arg : op.inputs) {
    int64_t n = KnownLength(arg, *attrs);
    if (n < 0) n = length;
    AttrValue::TypeList list;
    for (int64_t i = 0; i < n && at < types.size(); ++i, ++at) {
      list.push_back(RemoveRef(types[at]));
      if (!arg.type_attr.empty() && attrs->Find(arg.type_attr) == nullptr) {
        attrs->Set(arg.type_attr, list.back());
      }
    }
    if (!arg.type_list_attr.empty() &&
        attrs->Find(arg.type_list_attr) == nullptr) {
      attrs->Set(arg.type_list_attr, std::move(list));
    }
  }
  if (uses > 0 && attrs->Find(unknown) == nullptr) attrs->Set(unknown, length);
  if (variable_type != DataType::kInvalid) {
    for (const char* name : {"dtype", "T"}) {
      const AttrDef* def = op.FindAttr(name);
      if (def && def->kind == "type" && attrs->Find(name) == nullptr) {
        attrs->Set(name, variable_type);
        break;
      }
    }
  }
  return OkStatus();
}

class Binder {
 public:
  Binder(const Case& c, const OpRegistry& ops, bool lenient)
      : ops_(ops), lenient_(lenient) {
    bound_.source = &c;
  }

  StatusOr<BoundCase> Bind() {
    for (const CaseNode& node : bound_.source->nodes)
      MR_RETURN_IF_ERROR(BindNode(node));
    for (const CaseRun& run : bound_.source->runs)
      MR_RETURN_IF_ERROR(BindRun(run));
    return std::move(bound_);
  }

 private:
  // "node" or "node:port".
  Status FindOutput(const std::string& text, int* node, int* port) const {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(text, absl::MaxSplits(':', 1));
    const auto it = by_name_.find(parts.first);
    if (it == by_name_.end())
      return InvalidArgument("no node ", text, " before this one");
    *node = it->second;
    *port = 0;
    if (!parts.second.empty() && !absl::SimpleAtoi(parts.second, port)) {
      return InvalidArgument("no output ", text);
    }
    return OkStatus();
  }

  Status BindNode(const CaseNode& node) {
    MR_ASSIGN_OR_RETURN(const OpDef* op, ops_.Lookup(node.op));
    BoundNode out;
    out.info.name = node.name;
    out.info.op = op;
    out.info.attrs = node.attrs;
    std::vector<DataType> types;
    DataType variable_type = DataType::kInvalid;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Value& value = node.inputs[i];
      const std::string name = absl::StrCat(node.name, "/", i);
      BoundInput input;
      input.kind = value.kind;
      switch (value.kind) {
        case Value::Kind::kFed:
          input.index = static_cast<int>(bound_.feeds.size());
          bound_.feeds.push_back({name, value.tensor});
          types.push_back(value.tensor.dtype());
          break;
        case Value::Kind::kVariable:
        case Value::Kind::kUninitialized: {
          const bool is_ref = IsRefInput(*op, static_cast<int>(i));
          input.index = static_cast<int>(bound_.variables.size());
          bound_.variables.push_back({name, value.tensor,
                                      value.kind == Value::Kind::kVariable,
                                      is_ref});
          types.push_back(is_ref ? MakeRef(value.tensor.dtype())
                                 : DataType::kResource);
          if (variable_type == DataType::kInvalid)
            variable_type = value.tensor.dtype();
          break;
        }
        case Value::Kind::kNode: {
          MR_RETURN_IF_ERROR(FindOutput(value.node, &input.index, &input.port));
          const auto& outputs =
              bound_.nodes[static_cast<size_t>(input.index)].info.output_types;
          if (input.port < 0 ||
              input.port >= static_cast<int>(outputs.size())) {
            return InvalidArgument("no output ", value.node);
          }
          types.push_back(outputs[static_cast<size_t>(input.port)]);
          break;
        }
      }
      out.inputs.push_back(input);
      // A kernel may keep what it makes of such an input: each run feeds the
      // same tensor, unless it has inputs of its own.
      out.info.constant_inputs.push_back(input.kind == Value::Kind::kFed);
    }
    const Status fits = CheckTypes(node, types, variable_type, &out.info);
    if (!fits.ok() && !lenient_) return fits;
    for (const std::string& control : node.control_inputs) {
      int from = 0, port = 0;
      MR_RETURN_IF_ERROR(FindOutput(control, &from, &port));
      out.control_inputs.push_back(from);
    }
    by_name_[node.name] = static_cast<int>(bound_.nodes.size());
    bound_.nodes.push_back(std::move(out));
    return OkStatus();
  }

  static Status CheckTypes(const CaseNode& node,
                           const std::vector<DataType>& types,
                           DataType variable_type, NodeInfo* info) {
    const OpDef& op = *info->op;
    MR_RETURN_IF_ERROR(InferAttrs(op, types, variable_type, &info->attrs));
    MR_RETURN_IF_ERROR(CompleteAttrs(op, &info->attrs));
    MR_ASSIGN_OR_RETURN(info->input_types, ArgTypes(op.inputs, info->attrs));
    MR_ASSIGN_OR_RETURN(info->output_types, ArgTypes(op.outputs, info->attrs));
    if (types.size() != info->input_types.size()) {
      return InvalidArgument(node.op, " takes ", info->input_types.size(),
                             " inputs, not ", types.size());
    }
    for (size_t i = 0; i < types.size(); ++i) {
      if (!CanFeed(types[i], info->input_types[i])) {
        return InvalidArgument("input ", i, " of ", node.op, " is ",
                               DataTypeName(types[i]), ", not ",
                               DataTypeName(info->input_types[i]));
      }
    }
    return OkStatus();
  }

  // By the schema alone: references come before anything of unknown length in
  // all ops that have both.
  static bool IsRefInput(const OpDef& op, int i) {
    int at = 0;
    for (const ArgDef& arg : op.inputs) {
      if (at == i || !LengthAttr(arg).empty()) return arg.is_ref;
      ++at;
    }
    return false;
  }

  Status BindRun(const CaseRun& run) {
    BoundRun out;
    for (const std::string& fetch : run.fetches) {
      int node = 0, port = 0;
      MR_RETURN_IF_ERROR(FindOutput(fetch, &node, &port));
      out.targets.push_back(node);
      if (absl::StrContains(fetch, ':')) {
        out.fetches.push_back({node, port});
        continue;
      }
      const size_t n =
          bound_.nodes[static_cast<size_t>(node)].info.output_types.size();
      for (size_t i = 0; i < n; ++i)
        out.fetches.push_back({node, static_cast<int>(i)});
    }
    bound_.runs.push_back(std::move(out));
    return OkStatus();
  }

  const OpRegistry& ops_;
  const bool lenient_;
  BoundCase bound_;
  absl::flat_hash_map<std::string, int> by_name_;
};

}  // namespace

StatusOr<BoundCase> Bind(const Case& c, const OpRegistry& ops, bool lenient) {
  return Binder(c, ops, lenient).Bind();
}

}  // namespace millrace::cases

#include "millrace/graph/function/function_body.h"

#include "absl/container/inlined_vector.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "millrace/graph/builtin_ops.h"

namespace millrace {
namespace {

using Refs = absl::InlinedVector<OutputRef, 4>;

bool HasPlaceholder(const AttrValue& value);

bool HasPlaceholder(const NameAttrList& function) {
  for (const auto& [name, value] : function.attrs) {
    if (HasPlaceholder(value)) return true;
  }
  return false;
}

bool HasPlaceholder(const AttrValue& value) {
  if (value.get<AttrPlaceholder>() != nullptr) return true;
  if (const auto* func = value.get<AttrValue::Func>())
    return *func && HasPlaceholder(**func);
  if (const auto* list = value.get<AttrValue::FuncList>()) {
    for (const AttrValue::Func& f : *list) {
      if (f && HasPlaceholder(*f)) return true;
    }
  }
  return false;
}

// Returns `value` with the caller's attributes in place of placeholders. The
// decoder of graphs bounds the nesting of functions.
StatusOr<AttrValue> Substitute(const AttrValue& value, const AttrMap& caller) {
  if (const auto* placeholder = value.get<AttrPlaceholder>()) {
    const AttrValue* actual = caller.Find(placeholder->name);
    if (actual == nullptr) {
      return InvalidArgument(
          "Failed to bind placeholder '$", placeholder->name,
          "': the function is called without this attribute");
    }
    return *actual;
  }
  const auto in_function =
      [&](const AttrValue::Func& f) -> StatusOr<AttrValue::Func> {
    if (!f || !HasPlaceholder(*f)) return f;
    NameAttrList out{f->name, {}};
    for (const auto& [name, inner] : f->attrs) {
      MR_ASSIGN_OR_RETURN(AttrValue bound, Substitute(inner, caller));
      out.attrs.Set(name, std::move(bound));
    }
    return std::make_shared<const NameAttrList>(std::move(out));
  };
  if (const auto* func = value.get<AttrValue::Func>()) {
    MR_ASSIGN_OR_RETURN(AttrValue::Func bound, in_function(*func));
    return AttrValue(std::move(bound));
  }
  if (const auto* list = value.get<AttrValue::FuncList>()) {
    AttrValue::FuncList out;
    for (const AttrValue::Func& f : *list) {
      MR_ASSIGN_OR_RETURN(AttrValue::Func bound, in_function(f));
      out.push_back(std::move(bound));
    }
    return AttrValue(std::move(out));
  }
  return value;
}

StatusOr<AttrMap> SubstituteAll(const AttrMap& attrs, const AttrMap& caller) {
  AttrMap out = attrs;
  for (const auto& [name, value] : attrs) {
    if (!HasPlaceholder(value)) continue;
    MR_ASSIGN_OR_RETURN(AttrValue bound, Substitute(value, caller));
    out.Set(name, std::move(bound));
  }
  return out;
}

constexpr size_t kMaxFunctionArgs = 1 << 16;

class BodyBuilder {
 public:
  BodyBuilder(const OpRegistry& ops, const FunctionLibrary& library,
              const FunctionDef& def)
      : def_(def), graph_(&ops) {
    graph_.library() = library;
  }

  Status Build(const AttrMap& caller) {
    MR_RETURN_IF_ERROR(BindAttrs(caller));
    MR_RETURN_IF_ERROR(AddArgs());
    for (const NodeDef& node : def_.nodes) {
      if (node.op == builtin::kArg || node.op == builtin::kRetval) {
        return InvalidArgument("node ", node.name, " of function ",
                               def_.signature.name, " is of op ", node.op,
                               "; what a function gets and gives is in its "
                               "signature");
      }
      MR_ASSIGN_OR_RETURN(AttrMap attrs, SubstituteAll(node.attrs, attrs_));
      MR_ASSIGN_OR_RETURN(
          const Node* const added,
          graph_.AddNodeUnconnected(node.name, node.op, std::move(attrs),
                                    node.device));
      if (graph_.ops().Find(node.op) != nullptr) continue;
      MR_ASSIGN_OR_RETURN(const OpDef* const op, graph_.LookupOp(node.op));
      called_[added->id] = op;
    }
    for (const NodeDef& node : def_.nodes) MR_RETURN_IF_ERROR(Connect(node));
    MR_RETURN_IF_ERROR(AddReturns());
    for (const auto& [name, node] : def_.control_ret) {
      if (graph_.Find(node) == nullptr) {
        return InvalidArgument("control output '", name,
                               "' is an unknown node '", node, "'");
      }
    }
    return TopologicalOrder(graph_).status();
  }

  Graph Take() { return std::move(graph_); }

 private:
  // Binds the attributes of the signature; a caller may have further ones of
  // its own.
  Status BindAttrs(const AttrMap& caller) {
    for (const AttrDef& attr : def_.signature.attrs) {
      if (const AttrValue* value = caller.Find(attr.name))
        attrs_.Set(attr.name, *value);
    }
    return CompleteAttrs(def_.signature, &attrs_);
  }

  Status AddArgs() {
    // The types of all arguments together; each becomes a node.
    MR_ASSIGN_OR_RETURN(const DataTypeVector all,
                        ArgTypes(def_.signature.inputs, attrs_));
    if (all.size() > kMaxFunctionArgs) {
      return InvalidArgument("function ", def_.signature.name, " has ",
                             all.size(), " arguments, at most ",
                             kMaxFunctionArgs, " are possible");
    }
    int64_t index = 0;
    for (size_t i = 0; i < def_.signature.inputs.size(); ++i) {
      const ArgDef& arg = def_.signature.inputs[i];
      MR_ASSIGN_OR_RETURN(const DataTypeVector types, ArgTypes({arg}, attrs_));
      const bool one = arg.number_attr.empty() && arg.type_list_attr.empty();
      Refs& refs = args_[arg.name];
      for (size_t k = 0; k < types.size(); ++k) {
        AttrMap attrs = ArgAttrs(i);
        attrs.Set("T", RemoveRef(types[k]));
        attrs.Set("index", index++);
        MR_ASSIGN_OR_RETURN(const Node* node,
                            graph_.AddNodeUnconnected(
                                one ? arg.name : absl::StrCat(arg.name, "_", k),
                                builtin::kArg, std::move(attrs)));
        refs.push_back({node->id, 0});
      }
    }
    return OkStatus();
  }

  AttrMap ArgAttrs(size_t index) const {
    AttrMap out;
    for (const auto& [i, attrs] : def_.arg_attrs) {
      if (i != index) continue;
      for (const auto& [name, value] : attrs) {
        if (absl::StartsWith(name, "_")) out.Set(name, value);
      }
    }
    return out;
  }

  Status AddReturns() {
    int64_t index = 0;
    for (const ArgDef& out : def_.signature.outputs) {
      MR_ASSIGN_OR_RETURN(const DataTypeVector types, ArgTypes({out}, attrs_));
      const std::string* name = nullptr;
      for (const auto& [key, value] : def_.ret) {
        if (key == out.name) name = &value;
      }
      if (name == nullptr)
        return InvalidArgument("Return ", out.name, " missing.");
      MR_ASSIGN_OR_RETURN(const Refs refs, Resolve(*name));
      if (refs.size() != types.size()) {
        return InvalidArgument("Expected ", types.size(),
                               " tensors for output '", out.name, "', but '",
                               *name, "' are ", refs.size());
      }
      for (size_t k = 0; k < types.size(); ++k) {
        MR_RETURN_IF_ERROR(
            graph_
                .AddNode(graph_.UniqueName(absl::StrCat(out.name, "_RetVal")),
                         builtin::kRetval, {refs[k]},
                         {{"T", RemoveRef(types[k])}, {"index", index++}})
                .status());
      }
    }
    return OkStatus();
  }

  Status Connect(const NodeDef& def) {
    Node* node = graph_.Find(def.name);
    int32_t port = 0;
    bool control = false;
    for (const std::string& input : def.inputs) {
      if (absl::StartsWith(input, "^")) {
        control = true;
        MR_RETURN_IF_ERROR(
            ConnectControl(*node, absl::string_view(input).substr(1)));
        continue;
      }
      if (control) {
        return InvalidArgument(
            "Node '", def.name,
            "': Control dependencies must come after regular dependencies");
      }
      auto refs = Resolve(input);
      if (!refs.ok())
        return Prefix(absl::StrCat("Node '", def.name, "': "), refs.status());
      if (static_cast<size_t>(node->num_inputs() - port) < refs->size()) {
        return InvalidArgument("Node '", def.name, "': too many inputs, '",
                               input, "' is beyond ", node->num_inputs());
      }
      for (const OutputRef& ref : *refs)
        MR_RETURN_IF_ERROR(graph_.SetInput(node, port++, ref));
    }
    if (port != node->num_inputs()) {
      return InvalidArgument("Node '", def.name, "': has ", port,
                             " inputs, but op ", def.op, " expects ",
                             node->num_inputs());
    }
    return OkStatus();
  }

  Status ConnectControl(const Node& node, absl::string_view name) {
    if (const Node* src = graph_.Find(name)) {
      graph_.AddControlEdge(src->id, node.id);
      return OkStatus();
    }
    auto arg = args_.find(name);  // a list of tensors
    if (arg == args_.end()) {
      return InvalidArgument("Node '", node.name,
                             "': Unknown control input node '", name, "'");
    }
    for (const OutputRef& ref : arg->second)
      graph_.AddControlEdge(ref.node, node.id);
    return OkStatus();
  }

  // Resolves "arg", "arg:index", "node:output" or "node:output:index"; without
  // an index, all tensors of a sequence.
  StatusOr<Refs> Resolve(const std::string& name) {
    const size_t colon = name.find(':');
    const absl::string_view first = absl::string_view(name).substr(0, colon);
    absl::string_view rest =
        colon == name.npos ? "" : absl::string_view(name).substr(colon + 1);
    auto arg = args_.find(first);
    if (arg != args_.end()) return Select(arg->second, rest, name);
    const Node* node = graph_.Find(first);
    if (node == nullptr) return InvalidArgument("Unknown input '", name, "'");
    const size_t second = rest.find(':');
    const absl::string_view output = rest.substr(0, second);
    // Outputs of a call have the names that the called function gives them.
    const auto called = called_.find(node->id);
    const OpDef& op = called == called_.end() ? *node->op : *called->second;
    MR_ASSIGN_OR_RETURN(const AttrMap attrs, AttrsOf(*node));
    auto range = FindArgRange(op.outputs, attrs, output);
    if (!range.ok()) {
      return InvalidArgument("Unknown output '", output, "' of op ", op.name,
                             " in input '", name,
                             "'; expected node:output:index");
    }
    Refs refs;
    for (int i = range->begin; i < range->end; ++i)
      refs.push_back({node->id, i});
    return Select(refs, second == rest.npos ? "" : rest.substr(second + 1),
                  name);
  }

  // Returns the attributes that the op, or the function that is called by its
  // name, knows.
  StatusOr<AttrMap> AttrsOf(const Node& node) const {
    if (!called_.contains(node.id) || node.op == called_.at(node.id))
      return node.attrs;
    MR_ASSIGN_OR_RETURN(const AttrValue::Func function,
                        GetAttr<AttrValue::Func>(node.attrs, "f"));
    return function->attrs;
  }

  static StatusOr<Refs> Select(const Refs& refs, absl::string_view index,
                               absl::string_view name) {
    if (index.empty()) return refs;
    size_t i = 0;
    if (!absl::SimpleAtoi(index, &i) || i >= refs.size()) {
      return InvalidArgument("Invalid index in input '", name, "': there are ",
                             refs.size(), " tensors");
    }
    return Refs{refs[i]};
  }

  const FunctionDef& def_;
  Graph graph_;
  AttrMap attrs_;
  absl::flat_hash_map<std::string, Refs> args_;
  // The signatures of functions that nodes call by their name, by node.
  absl::flat_hash_map<NodeId, const OpDef*> called_;
};

}  // namespace

StatusOr<Graph> InstantiateFunction(const OpRegistry& ops,
                                    const FunctionLibrary& library,
                                    const NameAttrList& function) {
  const std::shared_ptr<const FunctionDef> def =
      library.FindShared(function.name);
  if (def == nullptr)
    return NotFound("Function ", function.name, " is not defined.");
  BodyBuilder builder(ops, library, *def);
  const Status status = builder.Build(function.attrs);
  if (!status.ok()) {
    return Annotate(status, absl::StrCat("; in the body of function '",
                                         function.name, "'"));
  }
  return builder.Take();
}

}  // namespace millrace

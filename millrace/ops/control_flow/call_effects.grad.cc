#include "millrace/ops/control_flow/call_effects.grad.h"

#include <deque>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "millrace/graph/function/function_body.h"
#include "millrace/graph/graph_proto.h"

namespace millrace::ops {
namespace {

using Origins = std::vector<StateOrigin>;

// Bounds the work for functions that each call others twice.
constexpr int64_t kMaxNodes = 100'000;

// Returns whether an op with state has no effect.
bool IsHarmless(const OpDef& op) {
  return op.role == OpRole::kArg || op.role == OpRole::kRetval ||
         op.role == OpRole::kPlaceholder || op.Is(kGivesVariable) ||
         op.Is(kReadsVariable) || op.Is(kHasNoEffect) || op.Is(kChecks);
}

// Returns whether the op passes a reference on or only inspects it.
bool KeepsReference(const OpDef& op) {
  return IsControlFlow(op.role) || op.law == Law::kPassesOn ||
         op.Is(kReadsVariable) || op.name == "RefSelect";
}

// Returns whether the op calls functions with all its inputs except the first.
bool IsConditional(const OpDef& op) {
  return op.name == "If" || op.name == "StatelessIf" || op.name == "Case" ||
         op.name == "StatelessCase";
}

// Returns whether the op works on tensor arrays or stacks, which live for one
// step.
bool IsArrayOp(const OpDef& op) {
  return absl::StartsWith(op.name, "TensorArray") ||
         absl::StartsWith(op.name, "Stack");
}

// Returns whether `type` may be that of an array's handle, in any version.
bool IsHandle(DataType type) {
  return type == DataType::kResource || RemoveRef(type) == DataType::kString;
}

bool UsesArray(const Node& node) {
  return IsArrayOp(*node.op) && !node.input_types.empty() &&
         IsHandle(node.input_types[0]);
}

bool IsGradientArray(const Node& node) {
  return absl::StartsWith(node.op->name, "TensorArrayGrad");
}

std::string TextOf(const Node& node, absl::string_view where) {
  return absl::StrCat("'", node.name, "' (op type: ", node.op->name, ")",
                      where);
}

// Returns whether the node passes an input on as output `port`, and sets
// `input` to its number.
bool PassesOn(const Node& node, int32_t port, int32_t* input) {
  *input = node.IsOp("IdentityN") ? port : 0;
  if (*input >= node.num_inputs()) return false;
  const OpRole role = node.op->role;
  return node.IsOp("IdentityN") || node.op->law == Law::kPassesOn ||
         (IsControlFlow(role) && role != OpRole::kMerge) ||
         (UsesArray(node) && IsGradientArray(node)) ||
         // Ops that change a variable return its reference.
         (IsRef(node.output_types[port]) && IsRef(node.input_types[0]) &&
          role != OpRole::kMerge && !node.IsOp("RefSelect"));
}

std::string StringAttr(const Node& node, const char* name) {
  const auto value = GetAttr<std::string>(node.attrs, name);
  return value.ok() ? *value : "";
}

// kBody: another run makes the graph's arrays anew.
enum class GraphKind { kBody, kCaller };

StateOrigin Trace(const Graph& graph, OutputRef value, const Origins& args,
                  GraphKind kind) {
  while (value.node != kNoNode) {
    const Node& node = *graph.node(value.node);
    if (node.op->role == OpRole::kArg) {
      const auto index = GetAttr<int64_t>(node.attrs, "index");
      if (!index.ok() || *index >= static_cast<int64_t>(args.size())) return {};
      return args[static_cast<size_t>(*index)];
    }
    int32_t input = 0;
    if (PassesOn(node, value.port, &input)) {
      value = node.inputs[static_cast<size_t>(input)];
      continue;
    }
    const bool makes_array = IsArrayOp(*node.op) && !UsesArray(node);
    if (node.num_inputs() > 0 && !makes_array) return {};
    StateOrigin origin;
    const std::string shared = StringAttr(node, "shared_name");
    origin.name =
        absl::StrCat(node.op->name, " ", StringAttr(node, "container"), "/",
                     shared.empty() ? node.name : shared);
    origin.is_own = makes_array && kind == GraphKind::kBody;
    const auto clears = GetAttr<bool>(node.attrs, "clear_after_read");
    origin.stays = clears.ok() && !*clears;
    return origin;
  }
  return {};
}

// Finds the effects of nodes and of the functions that they call.
class EffectFinder {
 public:
  explicit EffectFinder(const Graph& graph) : library_(graph) {}

  void Add(const Graph& graph, const Origins& args, const Node& node,
           const std::string& where) {
    if (--nodes_left_ < 0) {
      Once("more than ", kMaxNodes, " nodes of functions");
      return;
    }
    const bool is_call = AddCalls(graph, args, node);
    const auto origin = [&](int i) {
      return Trace(graph, node.inputs[static_cast<size_t>(i)], args,
                   GraphKind::kBody);
    };
    for (int i = 0; i < node.num_inputs(); ++i) {
      const OutputRef in = node.inputs[static_cast<size_t>(i)];
      if (in.node == kNoNode) continue;
      const DataType wanted = node.input_types[static_cast<size_t>(i)];
      const DataType given = graph.node(in.node)->output_types[in.port];
      const bool is_state = wanted == DataType::kResource || IsRef(wanted);
      if (IsRef(given) && !IsRef(wanted)) {
        reads_.emplace_back(origin(i), TextOf(node, where));
      } else if (is_state && !is_call && !IsArrayOp(*node.op)) {
        AddUse(node, IsRef(wanted), origin(i), where);
      }
    }
    if (UsesArray(node)) {
      AddArrayUse(node, origin(0), where);
    } else if (node.op->Is(kStateful) && !is_call && !IsHarmless(*node.op) &&
               !IsArrayOp(*node.op)) {
      Once(TextOf(node, where), " has effects or other results");
    }
  }

  // Follows the calls that were added.
  void Finish() {
    while (!calls_.empty()) {
      const Call call = std::move(calls_.front());
      calls_.pop_front();
      const StatusOr<Graph> body = InstantiateFunction(
          library_.ops(), library_.library(), call.function);
      if (!body.ok()) {
        Once(body.status().message());
        continue;
      }
      const std::string where =
          absl::StrCat(" in function '", call.function.name, "'");
      for (NodeId id = 0; id < body->num_ids() && nodes_left_ >= 0; ++id) {
        if (const Node* node = body->node(id))
          Add(*body, call.args, *node, where);
      }
    }
  }

  const Status& once() const { return once_; }
  const StateChanges& changes() const { return changes_; }
  // Returns the objects read, each with the name of its reader.
  const std::vector<std::pair<StateOrigin, std::string>>& reads() const {
    return reads_;
  }

 private:
  struct Call {
    NameAttrList function;
    Origins args;
  };

  template <class... Args>
  void Once(const Args&... text) {
    if (once_.ok()) once_ = Unimplemented(text...);
  }

  // Adds the use of a handle or reference that is an input of `node`.
  void AddUse(const Node& node, bool is_ref, const StateOrigin& origin,
              const std::string& where) {
    const bool keeps = is_ref ? KeepsReference(*node.op)
                              : !node.op->Is(kStateful) || IsHarmless(*node.op);
    const bool reads =
        is_ref ? node.IsOp("IsVariableInitialized") : node.op->Is(kStateful);
    if (!keeps) {
      changes_.Add(origin);
      Once(TextOf(node, where), " changes state");
    } else if (reads && node.op->role != OpRole::kRetval) {
      reads_.emplace_back(origin, TextOf(node, where));
    }
  }

  // Adds the use of an array. An array from outside is the same one in another
  // run.
  void AddArrayUse(const Node& node, const StateOrigin& origin,
                   const std::string& where) {
    if (origin.is_own || IsGradientArray(node) ||
        absl::StrContains(node.op->name, "Size")) {
      return;
    }
    bool takes = true;
    for (const char* read : {"Read", "Gather", "Concat", "Pack"})
      takes = takes && !absl::StrContains(node.op->name, read);
    if (takes || !origin.stays) {
      Once(TextOf(node, where),
           " uses a tensor array or stack from outside, which it can do once");
    }
  }

  // Adds the function calls of `node`. Returns whether it does nothing else.
  bool AddCalls(const Graph& graph, const Origins& args, const Node& node) {
    const std::string& op = node.op->name;
    // The number of the input that is the function's first argument.
    int first = -1;
    if (op == "PartitionedCall" || op == "StatefulPartitionedCall") first = 0;
    if (IsConditional(*node.op)) first = 1;
    const bool is_loop = op == "While" || op == "StatelessWhile";
    Origins given;
    const bool is_function = library_.library().Find(op) != nullptr;
    if (is_function) first = 0;
    for (int i = first; first >= 0 && i < node.num_inputs(); ++i) {
      given.push_back(Trace(graph, node.inputs[static_cast<size_t>(i)], args,
                            GraphKind::kBody));
    }
    if (is_function) Enqueue({op, node.attrs}, given);
    for (const auto& [name, value] : node.attrs) {
      AttrValue::FuncList functions;
      if (const auto* f = value.get<AttrValue::Func>()) functions = {*f};
      if (const auto* list = value.get<AttrValue::FuncList>())
        functions = *list;
      for (const AttrValue::Func& f : functions) {
        if (!f || f->name.empty()) continue;
        Enqueue(*f, is_loop ? ArgsOfLoop(graph, args, node) : given);
      }
    }
    return first >= 0 || is_loop;
  }

  // Returns the origins of the body's arguments: those that the body returns
  // unchanged keep theirs; the others may become anything.
  Origins ArgsOfLoop(const Graph& graph, const Origins& args,
                     const Node& node) const {
    Origins given(static_cast<size_t>(node.num_inputs()));
    const auto function = GetAttr<AttrValue::Func>(node.attrs, "body");
    if (!function.ok() || !*function) return given;
    const StatusOr<Graph> body =
        InstantiateFunction(library_.ops(), library_.library(), **function);
    if (!body.ok()) return given;
    for (const int32_t i : InvariantArgs(*body)) {
      if (i >= node.num_inputs()) continue;
      given[static_cast<size_t>(i)] = Trace(
          graph, node.inputs[static_cast<size_t>(i)], args, GraphKind::kBody);
    }
    return given;
  }

  void Enqueue(const NameAttrList& function, const Origins& args) {
    std::string key = SerializeAttrValue(function);
    for (const StateOrigin& arg : args) {
      absl::StrAppend(&key, "\n", arg.name, arg.is_own ? "!" : "",
                      arg.stays ? "+" : "");
    }
    if (seen_.insert(std::move(key)).second) calls_.push_back({function, args});
  }

  const Graph& library_;
  int64_t nodes_left_ = kMaxNodes;
  absl::flat_hash_set<std::string> seen_;
  std::deque<Call> calls_;
  Status once_;
  StateChanges changes_;
  std::vector<std::pair<StateOrigin, std::string>> reads_;
};

}  // namespace

void StateChanges::Add(const StateOrigin& origin) {
  if (origin.name.empty()) {
    any = true;
  } else {
    names.insert(origin.name);
  }
}

bool StateChanges::MayHave(const StateOrigin& origin) const {
  return any ||
         (origin.name.empty() ? !names.empty() : names.contains(origin.name));
}

CallEffects::CallEffects(const Graph* graph, CallSurroundings around)
    : graph_(graph), around_(std::move(around)) {}

void CallEffects::Runs(const Node& node) {
  EffectFinder finder(*graph_);
  finder.Add(*graph_, around_.args, node, "");
  finder.Finish();
  const StateChanges& changes = finder.changes();
  around_.changes.any = around_.changes.any || changes.any;
  around_.changes.names.insert(changes.names.begin(), changes.names.end());
}

Status CallEffects::MayRunAgain(const Node& node) const {
  EffectFinder finder(*graph_);
  finder.Add(*graph_, around_.args, node, "");
  finder.Finish();
  MR_RETURN_IF_ERROR(finder.once());
  for (const auto& [origin, reader] : finder.reads()) {
    if (around_.changes.MayHave(origin)) {
      return Unimplemented(reader, " reads what is changed since");
    }
  }
  return OkStatus();
}

StateOrigin OriginAround(const Graph& graph, OutputRef value,
                         const CallSurroundings& around) {
  return Trace(graph, value, around.args, GraphKind::kCaller);
}

std::vector<int32_t> InvariantArgs(const Graph& body) {
  std::vector<int32_t> invariant;
  for (NodeId id = 0; id < body.num_ids(); ++id) {
    const Node* result = body.node(id);
    if (result == nullptr || !result->IsOp("_Retval")) continue;
    const Node* from = body.node(result->inputs[0].node);
    while (from->IsOp("Identity")) from = body.node(from->inputs[0].node);
    if (!from->IsOp("_Arg")) continue;
    const auto arg = GetAttr<int64_t>(from->attrs, "index");
    const auto index = GetAttr<int64_t>(result->attrs, "index");
    if (arg.ok() && index.ok() && *arg == *index)
      invariant.push_back(static_cast<int32_t>(*arg));
  }
  return invariant;
}

}  // namespace millrace::ops

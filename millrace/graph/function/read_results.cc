#include "millrace/graph/function/read_results.h"

#include "absl/container/btree_set.h"
#include "millrace/graph/builtin_ops.h"
#include "millrace/graph/function/function_body.h"

namespace millrace {
namespace {

using Results = absl::btree_set<int64_t>;

bool IsLowered(const Node& node) {
  const AttrValue* const attr = node.attrs.Find("_lower_using_switch_merge");
  const bool* const lowered = attr == nullptr ? nullptr : attr->get<bool>();
  return lowered != nullptr && *lowered;
}

int64_t IndexOf(const Node& node) {
  return GetAttr<int64_t>(node.attrs, "index").value_or(-1);
}

// Goes backwards from what is needed of a body.
class Needs {
 public:
  explicit Needs(const Graph& body)
      : body_(body), needed_(static_cast<size_t>(body.num_ids())) {
    for (NodeId id = 0; id < body.num_ids(); ++id) {
      const Node* const node = body.node(id);
      if (node == nullptr || node->op->role != OpRole::kRetval) continue;
      const int64_t index = IndexOf(*node);
      if (index < 0) continue;
      if (static_cast<size_t>(index) >= retvals_.size()) {
        retvals_.resize(static_cast<size_t>(index) + 1, kNoNode);
      }
      retvals_[static_cast<size_t>(index)] = id;
    }
  }

  int64_t num_results() const { return static_cast<int64_t>(retvals_.size()); }
  bool has(NodeId id) const { return needed_[static_cast<size_t>(id)]; }

  // Does nothing for a number without a result.
  void AddResult(int64_t index) {
    if (index >= 0 && index < num_results()) {
      Add(retvals_[static_cast<size_t>(index)]);
    }
  }
  void Add(NodeId id) {
    if (id == kNoNode || has(id)) return;
    needed_[static_cast<size_t>(id)] = true;
    queue_.push_back(id);
  }

  // Follows all edges; calls argument(i) for each argument that is needed,
  // which may add results.
  template <class F>
  void Follow(F argument) {
    while (!queue_.empty()) {
      const Node& node = *body_.node(queue_.back());
      queue_.pop_back();
      if (node.op->role == OpRole::kArg) argument(IndexOf(node));
      for (const OutputRef& in : node.inputs) Add(in.node);
      for (NodeId control : node.control_inputs) Add(control);
    }
  }

 private:
  const Graph& body_;
  std::vector<bool> needed_;
  std::vector<NodeId> retvals_, queue_;
};

// A few bytes may call functions of many nodes many times.
constexpr int64_t kMaxBodyNodes = 2'000'000;

StatusOr<Graph> BodyOf(const Graph& graph, const Node& node,
                       absl::string_view attr) {
  MR_ASSIGN_OR_RETURN(const AttrValue::Func function,
                      GetAttr<AttrValue::Func>(node.attrs, attr));
  if (function == nullptr) return InvalidArgument("no function");
  return InstantiateFunction(graph.ops(), graph.library(), *function);
}

// Adds the results of a loop on which its condition and the results that are
// there depend; all of them once bodies of `nodes_left` nodes have been made.
Status AddLoopResults(const Graph& graph, const Node& loop, int64_t* nodes_left,
                      Results* read) {
  if (*nodes_left <= 0) {
    for (int64_t i = 0; i < loop.num_outputs(); ++i) read->insert(i);
    return OkStatus();
  }
  MR_ASSIGN_OR_RETURN(const Graph condition, BodyOf(graph, loop, "cond"));
  MR_ASSIGN_OR_RETURN(const Graph body, BodyOf(graph, loop, "body"));
  *nodes_left -= condition.num_ids() + body.num_ids();
  Needs first(condition);
  Needs rest(body);
  const auto need = [&](int64_t i) {
    if (i < 0 || i >= loop.num_outputs()) return;
    read->insert(i);
    rest.AddResult(i);
  };
  for (const int64_t i : Results(*read)) need(i);
  first.AddResult(0);
  first.Follow(need);
  rest.Follow(need);
  return OkStatus();
}

// Says what is needed of a node apart from its consumers.
enum class Reader { kNone, kFollower, kAll };

Status Mark(const Graph& graph, Reader reader, int64_t* nodes_left,
            Node* node) {
  Results read;
  for (const OutEdge& edge : node->out_edges) {
    if (edge.port == kControlPort) {
      if (reader == Reader::kNone) reader = Reader::kFollower;
    } else {
      read.insert(edge.port);
    }
  }
  const bool loops = node->op->Is(kLoops);
  // What waits for a loop waits for all that it gives.
  if (reader == Reader::kAll || (loops && reader == Reader::kFollower)) {
    for (int64_t i = 0; i < node->num_outputs(); ++i) read.insert(i);
  }
  if (loops)
    MR_RETURN_IF_ERROR(AddLoopResults(graph, *node, nodes_left, &read));
  if (reader != Reader::kNone) read.insert(builtin::kReadEffects);
  if (read.empty()) return OkStatus();
  node->attrs.Set(builtin::kReadResults,
                  AttrValue::IntList(read.begin(), read.end()));
  return OkStatus();
}

}  // namespace

void MarkReadResults(absl::Span<const NodeId> whole,
                     absl::Span<const NodeId> followed, Graph* graph) {
  std::vector<Reader> readers;  // by node; empty: of none
  const auto add = [&](absl::Span<const NodeId> nodes, Reader reader) {
    if (nodes.empty()) return;
    readers.resize(static_cast<size_t>(graph->num_ids()), Reader::kNone);
    for (const NodeId id : nodes) readers[static_cast<size_t>(id)] = reader;
  };
  add(followed, Reader::kFollower);
  add(whole, Reader::kAll);
  int64_t nodes_left = kMaxBodyNodes;
  for (NodeId id = 0; id < graph->num_ids(); ++id) {
    Node* const node = graph->node(id);
    // A loop without effects gives the same if all of it runs.
    if (node == nullptr ||
        !(node->op->Is(kBranches) ||
          (node->op->Is(kLoops) && node->op->Is(kStateful)))) {
      continue;
    }
    if (!IsLowered(*node)) continue;
    const Reader reader =
        readers.empty() ? Reader::kNone : readers[static_cast<size_t>(id)];
    // Its kernel reports an error.
    Mark(*graph, reader, &nodes_left, node).IgnoreError();
  }
}

Status KeepReadResults(
    absl::Span<const int64_t> read,
    absl::Span<const std::pair<std::string, std::string>> control_ret,
    Graph* body) {
  Needs needs(*body);
  std::vector<NodeId> followed;
  for (const int64_t i : read) {
    if (i >= needs.num_results()) {
      return Internal("Expect to produce ", i + 1, " tensors, but only get ",
                      needs.num_results());
    }
    needs.AddResult(i);
    if (i != builtin::kReadEffects) continue;
    for (const auto& [output, name] : control_ret) {
      if (const Node* const node = body->Find(name)) {
        followed.push_back(node->id);
        needs.Add(node->id);
      }
    }
  }
  needs.Follow([](int64_t) {});
  std::vector<NodeId> unread;
  for (NodeId id = 0; id < body->num_ids(); ++id) {
    const Node* const node = body->node(id);
    if (node != nullptr && node->op->role != OpRole::kArg && !needs.has(id)) {
      unread.push_back(id);
    }
  }
  body->RemoveNodes(unread);
  MarkReadResults({}, followed, body);
  return OkStatus();
}

}  // namespace millrace

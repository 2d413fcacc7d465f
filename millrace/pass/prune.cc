#include "millrace/pass/prune.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/graph/builtin_ops.h"
#include "millrace/graph/function/read_results.h"
#include "millrace/graph/verifier.h"

namespace millrace {
namespace {

// Lives for one call.
class Pruner {
 public:
  Pruner(const Graph& graph, const RunSignature& signature)
      : graph_(graph), signature_(signature), pruned_(&graph.ops()) {}

  StatusOr<Graph> Run() {
    MR_RETURN_IF_ERROR(Resolve());
    MarkNeeded();
    pruned_.library() = graph_.library();
    pruned_.versions() = graph_.versions();
    MR_RETURN_IF_ERROR(CopyNodes());
    MR_RETURN_IF_ERROR(ConnectNodes());
    MR_RETURN_IF_ERROR(AddRetvals());
    MarkCalls();
    DebugVerifyGraph(pruned_, GraphStage::kPlaced, "pruning");
    return std::move(pruned_);
  }

 private:
  Status Resolve() {
    if (signature_.fetches.empty() && signature_.targets.empty()) {
      return InvalidArgument(
          "Must specify at least one target to fetch or execute.");
    }
    for (size_t i = 0; i < signature_.feeds.size(); ++i) {
      MR_ASSIGN_OR_RETURN(
          const OutputRef feed,
          FindOutput(graph_, signature_.feeds[i], "FeedInputs:"));
      if (!feeds_.try_emplace(feed, static_cast<int>(i)).second) {
        return InvalidArgument("Endpoint \"", signature_.feeds[i],
                               "\" fed more than once.");
      }
    }
    for (const std::string& name : signature_.fetches) {
      MR_ASSIGN_OR_RETURN(const OutputRef fetch,
                          FindOutput(graph_, name, "FetchOutputs"));
      if (feeds_.contains(fetch)) {
        return InvalidArgument(name, " is both fed and fetched.");
      }
      fetches_.push_back(fetch);
    }
    for (const std::string& name : signature_.targets) {
      MR_ASSIGN_OR_RETURN(const TensorName target, ParseTensorName(name));
      const Node* node = graph_.Find(target.node);
      if (node == nullptr)
        return NotFound("PruneForTargets: Some target nodes not found: ", name);
      targets_.push_back(node->id);
    }
    return OkStatus();
  }

  // Traverses backwards from fetches and targets, not through fed tensors.
  void MarkNeeded() {
    needed_.assign(graph_.num_ids(), false);
    std::vector<NodeId> stack;
    auto need = [&](NodeId id) {
      if (id == kNoNode || needed_[id]) return;
      needed_[id] = true;
      stack.push_back(id);
    };
    for (const OutputRef& fetch : fetches_) need(fetch.node);
    for (NodeId target : targets_) need(target);
    while (!stack.empty()) {
      const Node& node = *graph_.node(stack.back());
      stack.pop_back();
      for (const OutputRef& in : node.inputs) {
        if (!feeds_.contains(in)) need(in.node);
      }
      for (NodeId control : node.control_inputs) {
        // A control edge from a fed placeholder is not needed.
        if (!IsFedPlaceholder(control)) need(control);
      }
    }
  }

  bool IsFedPlaceholder(NodeId id) const {
    const Node& node = *graph_.node(id);
    return node.op->role == OpRole::kPlaceholder &&
           feeds_.contains(OutputRef{id, 0});
  }

  Status CopyNodes() {
    copy_.assign(graph_.num_ids(), nullptr);
    for (NodeId id = 0; id < graph_.num_ids(); ++id) {
      if (!needed_[id]) continue;
      const Node& node = *graph_.node(id);
      MR_ASSIGN_OR_RETURN(copy_[id], pruned_.AddNodeUnconnected(
                                         node.name, node.op->name, node.attrs,
                                         node.requested_device));
      copy_[id]->assigned_device = node.assigned_device;
    }
    return OkStatus();
  }

  Status ConnectNodes() {
    for (NodeId id = 0; id < graph_.num_ids(); ++id) {
      if (!needed_[id]) continue;
      const Node& node = *graph_.node(id);
      for (int i = 0; i < node.num_inputs(); ++i) {
        OutputRef src = node.inputs[i];
        const auto feed = feeds_.find(src);
        if (feed != feeds_.end()) {
          if (IsRef(node.input_types[i])) {
            return InvalidArgument(
                "{{node ", node.name, "}}: input ", i, " is a reference and '",
                signature_.feeds[feed->second], "' cannot be fed to it");
          }
          MR_ASSIGN_OR_RETURN(src,
                              Arg(feed->second, src, node.assigned_device));
        } else {
          src.node = copy_[src.node]->id;
        }
        MR_RETURN_IF_ERROR(pruned_.SetInput(copy_[id], i, src));
      }
      for (NodeId control : node.control_inputs) {
        if (copy_[control])
          pruned_.AddControlEdge(copy_[control]->id, copy_[id]->id);
      }
    }
    return OkStatus();
  }

  // Returns the _Arg of feed `index` on `device`. Its name is TensorFlow's,
  // which traces show.
  StatusOr<OutputRef> Arg(int index, OutputRef fed, const std::string& device) {
    auto [it, added] = args_.try_emplace({index, device}, kNoNode);
    if (added) {
      const DataType type =
          RemoveRef(graph_.node(fed.node)->output_types[fed.port]);
      MR_ASSIGN_OR_RETURN(
          Node* const arg,
          pruned_.AddNode(pruned_.UniqueName(
                              absl::StrCat("_arg_", graph_.node(fed.node)->name,
                                           "_", fed.port, "_", index)),
                          builtin::kArg, {},
                          AttrMap({{"T", type}, {"index", index}}), device));
      arg->assigned_device = device;
      it->second = arg->id;
    }
    return OutputRef{it->second, 0};
  }

  Status AddRetvals() {
    for (size_t i = 0; i < fetches_.size(); ++i) {
      const OutputRef fetch = fetches_[i];
      const Node& producer = *graph_.node(fetch.node);
      const OutputRef src = {copy_[fetch.node]->id, fetch.port};
      const DataType type = RemoveRef(producer.output_types[fetch.port]);
      MR_ASSIGN_OR_RETURN(
          Node* const retval,
          pruned_.AddNode(
              pruned_.UniqueName(absl::StrCat("_retval_", producer.name, "_",
                                              fetch.port, "_", i)),
              builtin::kRetval, {&src, 1},
              AttrMap({{"T", type}, {"index", static_cast<int64_t>(i)}}),
              producer.assigned_device));
      retval->assigned_device = producer.assigned_device;
    }
    return OkStatus();
  }

  // Of what is fetched itself, all runs, as TensorFlow keeps the node for it.
  void MarkCalls() {
    std::vector<NodeId> whole;
    for (const OutputRef& fetch : fetches_) {
      whole.push_back(copy_[fetch.node]->id);
    }
    for (const NodeId target : targets_) whole.push_back(copy_[target]->id);
    MarkReadResults(whole, {}, &pruned_);
  }

  const Graph& graph_;
  const RunSignature& signature_;
  Graph pruned_;
  absl::flat_hash_map<OutputRef, int> feeds_;
  std::vector<OutputRef> fetches_;
  std::vector<NodeId> targets_;
  std::vector<bool> needed_;
  std::vector<Node*> copy_;
  absl::flat_hash_map<std::pair<int, std::string>, NodeId> args_;
};

}  // namespace

StatusOr<Graph> PruneForRun(const Graph& graph, const RunSignature& signature) {
  return Pruner(graph, signature).Run();
}

}  // namespace millrace

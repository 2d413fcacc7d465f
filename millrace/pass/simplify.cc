#include "millrace/pass/simplify.h"

#include <cstring>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/graph/verifier.h"
#include "millrace/pass/pure_nodes.h"
#include "millrace/pass/reference_views.h"

namespace millrace {
namespace {

// Returns the bits of the number one, starting with the lowest.
uint64_t OneAs(DataType type) {
  switch (type) {
    case DataType::kFloat:
      return 0x3F800000;
    case DataType::kDouble:
      return 0x3FF0000000000000;
    case DataType::kHalf:
      return 0x3C00;
    case DataType::kBfloat16:
      return 0x3F80;
    default:
      return 1;
  }
}

// Returns the neutral element of addition: added to any number, also to -0.0,
// it gives that number.
uint64_t NeutralOfSums(DataType type) {
  return IsFloating(type) ? uint64_t{1} << (8 * SizeOf(type) - 1) : 0;
}

// Returns false for complex numbers: their products with infinite parts follow
// other rules.
bool HasSimpleNumbers(DataType type) {
  return IsFloating(type) || IsInteger(type);
}

// Lives for one call.
class Simplifier {
 public:
  Simplifier(const RunSignature& signature, const KernelTable* kernels,
             Graph* graph)
      : graph_(*graph),
        pure_(*graph),
        views_(*graph, kernels),
        targets_(TargetsOf(signature, *graph)) {}

  Status Run() {
    MR_ASSIGN_OR_RETURN(const std::vector<NodeId> order,
                        TopologicalOrder(graph_));
    std::vector<NodeId> unread;
    for (const NodeId id : order) {
      const Node& node = *graph_.node(id);
      const Law law = node.op->law;
      if (law == Law::kNone || node.num_outputs() != 1) continue;
      const std::optional<OutputRef> same = SameAs(node, law);
      if (!same || !MayRead(node, *same)) continue;
      if (!HandsOn(law) && views_.MayBeView(*same)) continue;
      MR_RETURN_IF_ERROR(RedirectReaders({id, 0}, *same, &graph_).status());
      if (node.out_edges.empty() && !targets_.contains(id)) {
        unread.push_back(id);
      }
    }
    graph_.RemoveNodes(unread);
    return OkStatus();
  }

 private:
  // Returns whether kernels of ops with this law pass on a view.
  static bool HandsOn(Law law) {
    return law == Law::kPassesOn || law == Law::kSameType ||
           law == Law::kOneInput;
  }

  // Returns an output that always has the same value as the node's.
  std::optional<OutputRef> SameAs(const Node& node, Law law) const {
    const absl::InlinedVector<OutputRef, 2>& in = node.inputs;
    switch (law) {
      case Law::kPassesOn:
        return in[0];
      case Law::kSameType:
        if (RemoveRef(node.input_types[0]) != node.output_types[0]) break;
        return in[0];
      case Law::kOneInput:
        if (in.size() != 1) break;
        return in[0];
      case Law::kTimesOne:
        if (IsScalar(node, 1, OneAs)) return in[0];
        if (IsScalar(node, 0, OneAs)) return in[1];
        break;
      case Law::kOverOne:
        if (IsScalar(node, 1, OneAs)) return in[0];
        break;
      case Law::kMinusZero:
        if (IsScalar(node, 1, [](DataType) { return uint64_t{0}; })) {
          return in[0];
        }
        break;
      case Law::kPlusZero:
        if (IsScalar(node, 1, NeutralOfSums)) return in[0];
        if (IsScalar(node, 0, NeutralOfSums)) return in[1];
        break;
      case Law::kUndoesItself:
      case Law::kIdempotent: {
        if (in[0].node == kNoNode) break;
        const Node& inner = *graph_.node(in[0].node);
        if (inner.op != node.op || !(inner.attrs == node.attrs)) break;
        if (law == Law::kIdempotent) {
          if (!HasSimpleNumbers(node.output_types[0])) break;
          return in[0];
        }
        // Readers would no longer depend on the control inputs of the inner
        // node.
        if (!inner.control_inputs.empty()) break;
        return inner.inputs[0];
      }
      case Law::kNone:
        break;
    }
    return std::nullopt;
  }

  // Returns whether input `port` is a scalar constant with the bits that
  // `bits_of` returns for its type. A scalar does not change the other
  // operand's shape.
  bool IsScalar(const Node& node, size_t port,
                uint64_t (*bits_of)(DataType)) const {
    const OutputRef in = node.inputs[port];
    if (in.node == kNoNode ||
        graph_.node(in.node)->op->role != OpRole::kConstant) {
      return false;
    }
    const AttrValue* attr = graph_.node(in.node)->attrs.Find("value");
    const Tensor* value = attr == nullptr ? nullptr : attr->get<Tensor>();
    if (value == nullptr || value->rank() != 0 ||
        !HasSimpleNumbers(value->dtype()) ||
        // The constant must not have control inputs.
        !graph_.node(in.node)->control_inputs.empty()) {
      return false;
    }
    const uint64_t bits = bits_of(value->dtype());  // the lowest byte first
    return std::memcmp(value->data(), &bits, SizeOf(value->dtype())) == 0;
  }

  bool MayRead(const Node& node, OutputRef instead) {
    if (instead.node == kNoNode || !node.control_inputs.empty() ||
        !pure_(node)) {
      return false;
    }
    const Node& source = *graph_.node(instead.node);
    // The values of branches and loops keep their nodes.
    return source.assigned_device == node.assigned_device &&
           !IsControlFlow(source.op->role) &&
           source.output_types[static_cast<size_t>(instead.port)] ==
               node.output_types[0];
  }

  Graph& graph_;
  PureNodes pure_;
  const ReferenceViews views_;
  const absl::flat_hash_set<NodeId> targets_;
};

}  // namespace

Status Simplify(const RunSignature& signature, const KernelTable* kernels,
                Graph* graph) {
  MR_RETURN_IF_ERROR(Simplifier(signature, kernels, graph).Run());
  DebugVerifyGraph(*graph, GraphStage::kPlaced, "simplification");
  return OkStatus();
}

}  // namespace millrace

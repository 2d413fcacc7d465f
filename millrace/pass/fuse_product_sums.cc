// Fuses sums of matrix products. The gradient of a parameter that is used many
// times, such as in the steps of a recurrent network, is such a sum.
#include <optional>
#include <utility>
#include <vector>

#include "millrace/pass/cpu_nodes.h"
#include "millrace/pass/fuse_nodes.h"
#include "millrace/pass/pure_nodes.h"

namespace millrace {
namespace {

// Lives for one call.
class ProductSumFuser {
 public:
  ProductSumFuser(const KernelTable& kernels, Graph* graph)
      : kernels_(kernels), graph_(*graph), pure_(*graph) {}

  Status Run() {
    MR_ASSIGN_OR_RETURN(const std::vector<NodeId> order,
                        TopologicalOrder(graph_));
    std::vector<FusedGroup> groups;
    for (const NodeId id : order) {
      const Node& node = *graph_.node(id);
      if (!node.IsOp("AddN") || !is_on_cpu_(node) || !pure_(node)) continue;
      std::optional<FusedGroup> group = GroupOf(node);
      if (group) groups.push_back(*std::move(group));
    }
    return ReplaceGroups(groups, &graph_);
  }

 private:
  // Returns the product if `sum` is the only node that reads it or depends on
  // it.
  const Node* ProductOf(const Node& sum, OutputRef in) {
    const Node& node = *graph_.node(in.node);
    return node.IsOp("MatMul") && node.out_edges.size() == 1 &&
                   node.assigned_device == sum.assigned_device && pure_(node)
               ? &node
               : nullptr;
  }

  std::optional<FusedGroup> GroupOf(const Node& sum) {
    if (sum.inputs.size() < 2) return std::nullopt;
    FusedGroup group;
    group.op = "_SumOfProducts";
    const Node* first = nullptr;
    for (const OutputRef& in : sum.inputs) {
      const Node* const product = ProductOf(sum, in);
      if (product == nullptr) return std::nullopt;
      if (first == nullptr) first = product;
      for (const char* attr : {"transpose_a", "transpose_b"}) {
        const AttrValue* mine = product->attrs.Find(attr);
        const AttrValue* others = first->attrs.Find(attr);
        if (mine == nullptr || others == nullptr || !(*mine == *others)) {
          return std::nullopt;
        }
        group.attrs.Set(attr, *mine);
      }
      group.members.push_back(product->id);
    }
    group.members.push_back(sum.id);
    group.attrs.Set("T", sum.output_types[0]);
    group.attrs.Set("N", static_cast<int64_t>(2 * sum.inputs.size()));
    if (!HasFusedKernel(kernels_, group, graph_)) return std::nullopt;
    return group;
  }

  const KernelTable& kernels_;
  Graph& graph_;
  PureNodes pure_;
  CpuNodes is_on_cpu_;
};

}  // namespace

Status FuseProductSums(const KernelTable& kernels, Graph* graph) {
  return ProductSumFuser(kernels, graph).Run();
}

}  // namespace millrace

// Products of matrices of which one part is read, by a Slice. The gradient of a
// concatenation slices what it gets, and often one slice is all that is needed.
#include <vector>

#include "millrace/pass/cpu_nodes.h"
#include "millrace/pass/fuse_nodes.h"
#include "millrace/pass/pure_nodes.h"

namespace millrace {

Status FuseProductSlices(const KernelTable& kernels, Graph* graph) {
  MR_ASSIGN(const std::vector<NodeId> order, TopologicalOrder(*graph));
  PureNodes pure(*graph);
  CpuNodes is_on_cpu;
  std::vector<FusedGroup> groups;
  for (const NodeId id : order) {
    const Node& slice = *graph->node(id);
    if (!slice.IsOp("Slice") || !is_on_cpu(slice) || !pure(slice)) continue;
    const Node& product = *graph->node(slice.inputs[0].node);
    // The slice is all that reads the product or waits for it.
    if (!product.IsOp("MatMul") || product.out_edges.size() != 1 ||
        product.assigned_device != slice.assigned_device || !pure(product)) {
      continue;
    }
    FusedGroup group;
    group.op = "_SlicedProduct";
    group.members = {product.id, slice.id};
    for (const char* attr : {"transpose_a", "transpose_b"}) {
      if (const AttrValue* value = product.attrs.Find(attr)) {
        group.attrs.Set(attr, *value);
      }
    }
    group.attrs.Set("T", slice.output_types[0]);
    if (const AttrValue* index = slice.attrs.Find("Index")) {
      group.attrs.Set("Index", *index);
    }
    const OpDef* op = graph->ops().Find(group.op);
    AttrMap complete = group.attrs;
    if (op != nullptr && kernels.Has("CPU", *op, group.attrs) &&
        CompleteAttrs(*op, &complete).ok()) {
      groups.push_back(std::move(group));
    }
  }
  return ReplaceGroups(groups, graph);
}

}  // namespace millrace

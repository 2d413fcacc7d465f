// Pairs a max pooling with its gradient: the argmax offset in each window is
// found once, and kept in a byte.
#include <string>
#include <vector>

#include "millrace/pass/device_types.h"
#include "millrace/pass/fuse_nodes.h"
#include "millrace/pass/pure_nodes.h"
#include "millrace/pass/reference_views.h"

namespace millrace {
namespace {

constexpr absl::string_view kAttrs[] = {
    "T", "ksize", "strides", "padding", "explicit_paddings", "data_format"};

AttrMap PoolAttrsOf(const Node& node) {
  AttrMap attrs;
  for (const absl::string_view name : kAttrs) {
    if (const AttrValue* value = node.attrs.Find(name)) attrs.Set(name, *value);
  }
  return attrs;
}

}  // namespace

Status PairPools(const KernelTable& kernels, Graph* graph) {
  PureNodes pure(*graph);
  const ReferenceViews views(*graph, &kernels);
  DeviceTypes type_of;
  std::vector<FusedGroup> groups;
  for (NodeId id = 0; id < graph->num_ids(); ++id) {
    const Node* const pool = graph->node(id);
    if (pool == nullptr || !pool->IsOp("MaxPool") || !pure(*pool)) continue;
    const std::string& device = type_of(*pool);
    if (device != "CPU" && device != "GPU") continue;
    FusedGroup with_offsets;
    with_offsets.op = "_MaxPoolWithOffsets";
    with_offsets.members = {id};
    with_offsets.attrs = PoolAttrsOf(*pool);
    if (!HasFusedKernel(kernels, with_offsets, *graph)) continue;
    const size_t before = groups.size();
    for (const OutEdge& edge : pool->out_edges) {
      if (edge.dst_port != 1) continue;
      const Node& grad = *graph->node(edge.dst);
      if (!grad.IsOp("MaxPoolGrad") || grad.inputs[0] != pool->inputs[0] ||
          grad.assigned_device != pool->assigned_device || !pure(grad) ||
          PoolAttrsOf(grad) != with_offsets.attrs) {
        continue;
      }
      // The gradient reads the images again, with their values at that time.
      if (views.MayBeView(pool->inputs[0]) && views.FollowsUpdate(grad.id)) {
        continue;
      }
      FusedGroup by_offsets;
      by_offsets.op = "_MaxPoolGradByOffsets";
      by_offsets.members = {grad.id};
      by_offsets.attrs = with_offsets.attrs;
      by_offsets.more_inputs = {{id, 1}};
      if (HasFusedKernel(kernels, by_offsets, *graph))
        groups.push_back(by_offsets);
    }
    if (groups.size() > before) groups.push_back(with_offsets);
  }
  return ReplaceGroups(groups, graph);
}

}  // namespace millrace

// Fuses matrix products of which only one part is read, by a Slice. The
// gradient of a concatenation slices its input, and often only one slice is
// needed.
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "millrace/pass/cpu_nodes.h"
#include "millrace/pass/fuse_nodes.h"
#include "millrace/pass/pure_nodes.h"
#include "millrace/pass/reference_views.h"

namespace millrace {
namespace {

constexpr char kTransposedMatrix[] = "_TransposedMatrix";
// Transposing a matrix costs as much as some products save.
constexpr size_t kMinShared = 4;

// Passes products with a transposed b one shared matrix that is transposed
// once.
Status TransposeSharedFactors(const KernelTable& kernels,
                              const ReferenceViews& views,
                              std::vector<FusedGroup>* groups, Graph* graph) {
  if (graph->ops().Find(kTransposedMatrix) == nullptr ||
      !kernels.HasOp("CPU", kTransposedMatrix)) {
    return OkStatus();
  }
  using Key = std::pair<OutputRef, std::string>;  // of a device
  std::vector<std::pair<Key, std::vector<FusedGroup*>>> sharing;
  absl::flat_hash_map<Key, size_t> place;
  for (FusedGroup& group : *groups) {
    const Node& product = *graph->node(group.members[0]);
    const StatusOr<bool> transposed =
        GetAttr<bool>(product.attrs, "transpose_b");
    if (!transposed.ok() || !*transposed ||
        product.output_types[0] != DataType::kFloat) {
      continue;
    }
    // The matrix is read when it is transposed, and not by each product.
    if (views.MayBeView(product.inputs[1]) && views.FollowsUpdate(product.id)) {
      continue;
    }
    const Key key = {product.inputs[1], product.assigned_device};
    const auto [it, added] = place.try_emplace(key, sharing.size());
    if (added) sharing.push_back({key, {}});
    sharing[it->second].second.push_back(&group);
  }
  for (const auto& [key, list] : sharing) {
    if (list.size() < kMinShared) continue;
    const OutputRef b = key.first;
    const Node& product = *graph->node(list[0]->members[0]);
    AttrMap attrs;
    attrs.Set("T", DataType::kFloat);
    MR_ASSIGN_OR_RETURN(
        Node* const node,
        graph->AddNode(graph->UniqueName(absl::StrCat(graph->node(b.node)->name,
                                                      "/transposed")),
                       kTransposedMatrix, {b}, std::move(attrs),
                       product.requested_device));
    node->assigned_device = key.second;
    for (FusedGroup* const group : list) {
      group->attrs.Set("N", int64_t{1});
      group->more_inputs = {{node->id, 0}};
    }
  }
  return OkStatus();
}

}  // namespace

Status FuseProductSlices(const KernelTable& kernels, Graph* graph) {
  MR_ASSIGN_OR_RETURN(const std::vector<NodeId> order,
                      TopologicalOrder(*graph));
  PureNodes pure(*graph);
  CpuNodes is_on_cpu;
  std::vector<FusedGroup> groups;
  for (const NodeId id : order) {
    const Node& slice = *graph->node(id);
    if (!slice.IsOp("Slice") || !is_on_cpu(slice) || !pure(slice)) continue;
    const Node& product = *graph->node(slice.inputs[0].node);
    // The slice is the only node that reads the product or depends on it.
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
    if (HasFusedKernel(kernels, group, *graph)) {
      groups.push_back(std::move(group));
    }
  }
  const ReferenceViews views(*graph, &kernels);
  MR_RETURN_IF_ERROR(TransposeSharedFactors(kernels, views, &groups, graph));
  return ReplaceGroups(groups, graph);
}

}  // namespace millrace

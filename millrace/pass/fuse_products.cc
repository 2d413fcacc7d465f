// Fuses products with the bias that is added to them and an activation, or a
// Split.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "millrace/pass/device_types.h"
#include "millrace/pass/fuse_nodes.h"
#include "millrace/pass/pure_nodes.h"

namespace millrace {
namespace {

// The attributes that the fused op takes from the product.
constexpr absl::string_view kMatMulAttrs[] = {"T", "transpose_a",
                                              "transpose_b"};
constexpr absl::string_view kConv2DAttrs[] = {
    "T",           "strides",   "padding",         "explicit_paddings",
    "data_format", "dilations", "use_cudnn_on_gpu"};

// Returns whether a sum's other operand is probably a bias: its shape is not
// known here. The kernel checks it.
bool IsLikelyParameter(const Node& node) {
  const OpRole role = node.op->role;
  return role == OpRole::kConstant || role == OpRole::kEnter ||
         role == OpRole::kRecv || role == OpRole::kArg ||
         node.op->law == Law::kPassesOn ||
         (node.op->Is(kReadsVariable) && node.num_inputs() == 1);
}

// Returns the order of a node's images; that of matrices has channels last.
std::string FormatOf(const Node& node) {
  const AttrValue* format = node.attrs.Find("data_format");
  if (format == nullptr) return "NHWC";
  const auto* text = format->get<std::string>();
  return text == nullptr ? "" : *text;
}

// Lives for one call.
class ProductFuser {
 public:
  ProductFuser(const KernelTable& kernels, Graph* graph)
      : kernels_(kernels), graph_(*graph), pure_(*graph) {}

  Status Run() {
    MR_ASSIGN_OR_RETURN(const std::vector<NodeId> order,
                        TopologicalOrder(graph_));
    std::vector<size_t> place(static_cast<size_t>(graph_.num_ids()));
    for (size_t i = 0; i < order.size(); ++i) {
      place[static_cast<size_t>(order[i])] = i;
    }
    std::vector<FusedGroup> groups;
    for (const NodeId id : order) TryToFuse(*graph_.node(id), &groups);
    // In the order of their last nodes, which other nodes read.
    std::sort(groups.begin(), groups.end(),
              [&](const FusedGroup& a, const FusedGroup& b) {
                return place[static_cast<size_t>(a.members.back())] <
                       place[static_cast<size_t>(b.members.back())];
              });
    return ReplaceGroups(groups, &graph_);
  }

 private:
  enum class Product { kNone, kMatMul, kConv2D };

  Product ProductOf(const Node& node) {
    const auto [it, added] = products_.try_emplace(node.op, Product::kNone);
    if (added && node.IsOp("MatMul")) it->second = Product::kMatMul;
    if (added && node.IsOp("Conv2D")) it->second = Product::kConv2D;
    return it->second;
  }

  // Returns the only node that reads `node` or depends on it, if the two may be
  // fused.
  const Node* OnlyReader(const Node& node, int32_t* port) {
    if (node.out_edges.size() != 1) return nullptr;
    const OutEdge& edge = node.out_edges[0];
    *port = edge.dst_port;
    const Node& reader = *graph_.node(edge.dst);
    return edge.dst_port != kControlPort &&
                   reader.assigned_device == node.assigned_device &&
                   pure_(reader)
               ? &reader
               : nullptr;
  }

  bool AddsBias(const Node& node, int32_t port,
                const std::string& format) const {
    if (node.IsOp("BiasAdd")) return port == 0 && FormatOf(node) == format;
    if (!node.op->Is(kAddition) || format != "NHWC") return false;
    const OutputRef other = node.inputs[port == 0 ? 1 : 0];
    return IsLikelyParameter(*graph_.node(other.node));
  }

  static AttrMap FusedAttrs(const Node& node, Product product,
                            AttrValue::StringList fused_ops, float alpha) {
    AttrMap attrs;
    for (const absl::string_view name :
         product == Product::kMatMul ? absl::MakeConstSpan(kMatMulAttrs)
                                     : absl::MakeConstSpan(kConv2DAttrs)) {
      if (const AttrValue* value = node.attrs.Find(name)) {
        attrs.Set(name, *value);
      }
    }
    attrs.Set("num_args", int64_t{1});
    if (product == Product::kConv2D) {
      attrs.Set("TArgs", AttrValue::TypeList({node.output_types[0]}));
    }
    attrs.Set("fused_ops", std::move(fused_ops));
    attrs.Set("leakyrelu_alpha", alpha);
    return attrs;
  }

  // The gates of a recurrent cell are split from one product.
  bool TryToFuseSplit(const Node& product, const Node& bias, const Node& split,
                      std::vector<FusedGroup>* groups) {
    FusedGroup group;
    group.op = "_SplitProduct";
    group.members = {product.id, bias.id, split.id};
    for (const char* attr : {"transpose_a", "transpose_b"}) {
      if (const AttrValue* value = product.attrs.Find(attr)) {
        group.attrs.Set(attr, *value);
      }
    }
    group.attrs.Set("T", product.output_types[0]);
    group.attrs.Set("num_split", static_cast<int64_t>(split.num_outputs()));
    // The inputs are the product's two, then the bias.
    if (bias.inputs[0].node != product.id) return false;
    if (!HasFusedKernel(kernels_, group, graph_)) return false;
    groups->push_back(std::move(group));
    return true;
  }

  void TryToFuse(const Node& node, std::vector<FusedGroup>* groups) {
    const Product product = ProductOf(node);
    if (product == Product::kNone || !pure_(node)) return;
    const std::string& device = type_of_(node);
    const std::string format = FormatOf(node);
    // The kernels of CPUs take channels last only.
    if (device != "GPU" && (device != "CPU" || format != "NHWC")) return;
    int32_t port = 0;
    const Node* const bias = OnlyReader(node, &port);
    if (bias == nullptr || !AddsBias(*bias, port, format)) return;
    const Node* const activation = OnlyReader(*bias, &port);
    if (product == Product::kMatMul && activation != nullptr &&
        activation->IsOp("Split") && port == 1 &&
        TryToFuseSplit(node, *bias, *activation, groups)) {
      return;
    }
    FusedGroup group;
    group.op = product == Product::kMatMul ? "_FusedMatMul" : "_FusedConv2D";
    group.members = {node.id, bias->id};
    AttrValue::StringList fused_ops = {"BiasAdd"};
    float alpha = 0.2f;
    if (activation != nullptr && activation->op->Is(kActivation)) {
      group.members.push_back(activation->id);
      fused_ops.push_back(activation->op->name);
      const StatusOr<float> slope = GetAttr<float>(activation->attrs, "alpha");
      if (slope.ok()) alpha = *slope;
    }
    group.attrs = FusedAttrs(node, product, std::move(fused_ops), alpha);
    if (!HasFusedKernel(kernels_, group, graph_)) return;
    groups->push_back(std::move(group));
  }

  const KernelTable& kernels_;
  Graph& graph_;
  PureNodes pure_;
  DeviceTypes type_of_;
  absl::flat_hash_map<const OpDef*, Product> products_;
};

}  // namespace

Status FuseProducts(const KernelTable& kernels, Graph* graph) {
  return ProductFuser(kernels, graph).Run();
}

}  // namespace millrace

#include "millrace/train/quantized/quantizable_layers.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "millrace/train/quantized/op_types.h"
namespace millrace::train {
namespace {

bool IsLayer(const NodeDef& node) {
  return node.op == op_types::kMatMul || node.op == op_types::kConv2D;
}

std::string TextAttr(const NodeDef& node, absl::string_view name) {
  return GetAttr<std::string>(node.attrs, name).value_or("");
}
bool BoolAttr(const NodeDef& node, absl::string_view name) {
  return GetAttr<bool>(node.attrs, name).value_or(false);
}

// Whether a node's images, if it has any, have their channels last.
bool IsChannelsLast(const NodeDef& node) {
  const std::string format = TextAttr(node, "data_format");
  return format.empty() || format == "NHWC";
}

bool IsSameOrValid(const NodeDef& node) {
  const std::string padding = TextAttr(node, "padding");
  return padding == "SAME" || padding == "VALID";
}

// Whether a MaxPool is one that QuantizedMaxPool can be: of windows of an
// image, not of channels.
bool IsBytePool(const NodeDef& node) {
  const auto leaves_channels = [&](absl::string_view name) {
    const auto sizes = GetAttr<std::vector<int64_t>>(node.attrs, name);
    return sizes.ok() && sizes->size() == 4 && sizes->back() == 1;
  };
  return IsSameOrValid(node) && leaves_channels("ksize") &&
         leaves_channels("strides");
}

// Returns why a MatMul or Conv2D has no 8-bit form; "" if it has.
std::string ReasonAgainst(const NetworkNodes& nodes, const NodeDef& node) {
  const auto type = GetAttr<DataType>(node.attrs, "T");
  if (!type.ok() || *type != DataType::kFloat) {
    return absl::StrCat("its numbers are ",
                        DataTypeName(type.value_or(DataType::kInvalid)),
                        ", not float");
  }
  if (nodes.Constant(node.inputs[1]) == nullptr) {
    return "its weights are not a constant";
  }
  if (nodes.Constant(node.inputs[0]) != nullptr) {
    return "its input is a constant";
  }
  if (node.op == op_types::kMatMul) {
    return BoolAttr(node, "transpose_a") ? "its first factor is transposed"
                                         : "";
  }
  if (!IsChannelsLast(node)) {
    return absl::StrCat("its data format is ", TextAttr(node, "data_format"),
                        ", not NHWC");
  }
  if (IsSameOrValid(node)) return "";
  return absl::StrCat("its padding is ", TextAttr(node, "padding"),
                      ", not SAME or VALID");
}

// Returns what `add` adds to the result of `summed`, if that is a number for
// each of `units`.
std::vector<float> BiasOf(const NetworkNodes& nodes, const NodeDef& add,
                          const NodeDef& summed, size_t units) {
  const bool is_bias_add = add.op == op_types::kBiasAdd;
  if (!is_bias_add && add.op != op_types::kAdd && add.op != op_types::kAddV2)
    return {};
  if (!IsChannelsLast(add)) return {};
  const bool is_first = ShortInputName(add.inputs[0]) == summed.name;
  if (!is_first && is_bias_add) return {};
  const NodeDef* const constant = nodes.Constant(add.inputs[is_first ? 1 : 0]);
  if (constant == nullptr) return {};
  const auto value = GetAttr<Tensor>(constant->attrs, "value");
  if (!value.ok() || value->dtype() != DataType::kFloat) return {};
  const int rank = value->rank();
  const auto size = static_cast<int64_t>(units);
  const int most = summed.op == op_types::kConv2D ? 4 : 2;
  if (rank == 0 || rank > most || value->num_elements() != size ||
      value->dim(rank - 1) != size) {
    return {};
  }
  const auto numbers = value->flat<float>();
  return std::vector<float>(numbers.begin(), numbers.end());
}

QuantizableLayer WithFollowers(const NetworkNodes& nodes, const NodeDef& node) {
  QuantizableLayer layer;
  layer.nodes = {&node};
  layer.weights = nodes.Constant(node.inputs[1]);
  const auto weights = GetAttr<Tensor>(layer.weights->attrs, "value");
  const int rank = weights.ok() ? weights->rank() : 0;
  const int64_t units =
      rank == 0 ? 0 : weights->dim(layer.is_transposed() ? 0 : rank - 1);
  layer.bias.assign(static_cast<size_t>(units), 0.0f);
  const NodeDef* user = nodes.OnlyUser(node);
  if (user != nullptr) {
    std::vector<float> bias = BiasOf(nodes, *user, node, layer.bias.size());
    if (!bias.empty()) {
      layer.bias = std::move(bias);
      layer.nodes.push_back(user);
      user = nodes.OnlyUser(*user);
    }
  }
  if (user != nullptr &&
      (user->op == op_types::kRelu || user->op == op_types::kRelu6)) {
    layer.nodes.push_back(user);
    layer.activation = user->op == op_types::kRelu ? LayerActivation::kRelu
                                                   : LayerActivation::kRelu6;
  }
  return layer;
}

}  // namespace

NetworkNodes::NetworkNodes(const GraphDef& graph,
                           const std::vector<std::string>& outputs) {
  for (const std::string& name : outputs) needed_.insert(ShortInputName(name));
  for (const NodeDef& node : graph.nodes) {
    nodes_[node.name] = &node;
    for (const std::string& input : node.inputs) {
      if (IsControlInput(input)) {
        needed_.insert(NodeOfInput(input));
      } else {
        users_[ShortInputName(input)].push_back(&node);
      }
    }
  }
}

const NodeDef* NetworkNodes::Find(absl::string_view tensor) const {
  const auto found = nodes_.find(ShortInputName(tensor));
  return found == nodes_.end() ? nullptr : found->second;
}

const NodeDef* NetworkNodes::Constant(absl::string_view tensor) const {
  const NodeDef* node = Find(tensor);
  while (node != nullptr && node->op == op_types::kIdentity &&
         node->inputs.size() == 1) {
    node = Find(node->inputs[0]);
  }
  return node != nullptr && node->op == op_types::kConst && node->inputs.empty()
             ? node
             : nullptr;
}

const NodeDef* NetworkNodes::OnlyUser(const NodeDef& node) const {
  const auto found = users_.find(node.name);
  if (found == users_.end() || found->second.size() != 1) return nullptr;
  return needed_.contains(node.name) ? nullptr : found->second[0];
}

bool QuantizableLayer::is_transposed() const {
  return BoolAttr(node(), "transpose_b");
}

std::vector<QuantizableLayer> FindQuantizableLayers(
    const GraphDef& graph, const NetworkNodes& nodes,
    const std::vector<std::string>& skip, NodesLeft* left) {
  std::vector<QuantizableLayer> layers;
  for (const FunctionDef& function : graph.library.functions) {
    for (const NodeDef& node : function.nodes) {
      if (!IsLayer(node)) continue;
      left->emplace_back(absl::StrCat(function.signature.name, "/", node.name),
                         "it is in the body of a function");
    }
  }
  for (const NodeDef& node : graph.nodes) {
    if (std::any_of(
            std::begin(op_types::kOtherSums), std::end(op_types::kOtherSums),
            [&](const char* op) { return absl::StartsWith(node.op, op); })) {
      left->emplace_back(node.name,
                         absl::StrCat(node.op, " has no 8-bit form here"));
    }
    if (!IsLayer(node)) continue;
    const bool is_skipped =
        std::find(skip.begin(), skip.end(), node.name) != skip.end();
    std::string reason =
        is_skipped ? "it is to be skipped" : ReasonAgainst(nodes, node);
    if (reason.empty()) {
      layers.push_back(WithFollowers(nodes, node));
    } else {
      left->emplace_back(node.name, std::move(reason));
    }
  }
  return layers;
}

bool PassesBytes(const NodeDef& node) {
  if (node.inputs.empty() || !IsChannelsLast(node)) return false;
  return node.op == op_types::kIdentity || node.op == op_types::kReshape ||
         node.op == op_types::kSqueeze ||
         (node.op == op_types::kMaxPool && IsBytePool(node));
}

}  // namespace millrace::train

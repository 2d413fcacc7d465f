// The layers of a network that can be computed in 8 bits: MatMul and Conv2D
// with constant weights, with the bias and Relu that follow them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "millrace/graph/graph_def.h"
#include "millrace/train/quantized/input_names.h"
#include "millrace/train/quantized/op_types.h"

namespace millrace::train {

// The nodes of a frozen network and who uses them. Refers to the graph.
class NetworkNodes {
 public:
  // `outputs`: names of tensors.
  NetworkNodes(const GraphDef& graph, const std::vector<std::string>& outputs);

  // Returns the node whose first output a tensor is; null if there is none.
  const NodeDef* Find(absl::string_view tensor) const;
  // Returns the Const node behind an input, through Identity; null if there is
  // none, or one that waits for other nodes.
  const NodeDef* Constant(absl::string_view tensor) const;
  // Returns the node that alone uses a node's first output; null if there are
  // others, or the tensor is an output of the network.
  const NodeDef* OnlyUser(const NodeDef& node) const;

 private:
  absl::flat_hash_map<std::string, const NodeDef*> nodes_;
  absl::flat_hash_map<std::string, std::vector<const NodeDef*>> users_;
  absl::flat_hash_set<std::string> needed_;  // besides by data inputs
};

enum class LayerActivation { kNone, kRelu, kRelu6 };

// A MatMul or Conv2D and what follows it.
struct QuantizableLayer {
  std::vector<const NodeDef*> nodes;  // in their order; the last has the result
  const NodeDef* weights = nullptr;   // a Const
  std::vector<float> bias;            // of each unit or filter
  LayerActivation activation = LayerActivation::kNone;

  const NodeDef& node() const { return *nodes[0]; }
  const std::string& result() const { return nodes.back()->name; }
  std::string input() const { return ShortInputName(node().inputs[0]); }
  bool is_conv() const { return node().op == op_types::kConv2D; }
  // Returns whether the weights are [units, inputs].
  bool is_transposed() const;
};

// Names of nodes, each with why it stays in float.
using NodesLeft = std::vector<std::pair<std::string, std::string>>;

// Returns the layers in the order of the graph, and adds to `left` the nodes
// like them that have no 8-bit form, those named in `skip` among them.
std::vector<QuantizableLayer> FindQuantizableLayers(
    const GraphDef& graph, const NetworkNodes& nodes,
    const std::vector<std::string>& skip, NodesLeft* left);

// Returns whether an op passes bytes on as they are, from its first input.
bool PassesBytes(const NodeDef& node);

}  // namespace millrace::train

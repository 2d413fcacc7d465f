#include "millrace/train/quantized/quantized_graph.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "millrace/train/quantized/calibrated_ranges.h"
#include "millrace/train/quantized/frozen_graph.h"
#include "millrace/train/quantized/op_types.h"
#include "millrace/train/quantized/quantizable_layers.h"
#include "millrace/train/quantized/quantized_writer.h"

namespace millrace::train {
namespace {

int64_t ConstantBytes(const GraphDef& graph) {
  int64_t bytes = 0;
  for (const NodeDef& node : graph.nodes) {
    if (node.op != op_types::kConst) continue;
    const auto value = GetAttr<Tensor>(node.attrs, "value");
    if (value.ok()) bytes += static_cast<int64_t>(value->size_bytes());
  }
  return bytes;
}

Status CheckSkipped(const GraphDef& graph,
                    const std::vector<std::string>& skip) {
  for (const std::string& name : skip) {
    if (std::none_of(graph.nodes.begin(), graph.nodes.end(),
                     [&](const NodeDef& node) { return node.name == name; })) {
      return InvalidArgument("skip names ", name,
                             ", which the outputs do not need");
    }
  }
  return OkStatus();
}

// Returns the tensors whose ranges are needed, each once.
std::vector<std::string> TensorsToWatch(
    const std::vector<QuantizableLayer>& layers) {
  absl::flat_hash_set<std::string> seen;
  std::vector<std::string> names;
  const auto watch = [&](const std::string& name) {
    if (seen.insert(name).second) names.push_back(name);
  };
  for (const QuantizableLayer& layer : layers) {
    watch(layer.input());
    if (layer.activation != LayerActivation::kNone) watch(layer.result());
  }
  return names;
}

// Moves convolutions over groups of channels to those that stay in float.
void LeaveGroups(const ActivationRanges& ranges,
                 std::vector<QuantizableLayer>* layers, NodesLeft* left) {
  std::vector<QuantizableLayer> kept;
  for (QuantizableLayer& layer : *layers) {
    const auto filter = GetAttr<Tensor>(layer.weights->attrs, "value");
    const bool has_groups =
        layer.is_conv() && filter.ok() && filter->rank() == 4 &&
        ranges.at(layer.input()).last_size != filter->dim(2);
    if (has_groups) {
      left->emplace_back(layer.node().name,
                         "its filters are of groups of channels");
    } else {
      kept.push_back(std::move(layer));
    }
  }
  *layers = std::move(kept);
}

std::string OpsOf(const std::vector<const NodeDef*>& nodes) {
  return absl::StrJoin(nodes, "+", [](std::string* text, const NodeDef* node) {
    text->append(node->op);
  });
}

Status NothingToQuantize(const NodesLeft& left) {
  if (left.empty()) {
    return InvalidArgument(
        "there is nothing to quantize: the graph has neither MatMul "
        "nor Conv2D");
  }
  return InvalidArgument(
      "there is nothing to quantize: ",
      absl::StrJoin(left, "; ", [](std::string* text, const auto& node) {
        absl::StrAppend(text, node.first, ": ", node.second);
      }));
}

}  // namespace

std::string QuantizationReport::Text() const {
  std::string text;
  for (const QuantizedLayer& layer : quantized) {
    absl::StrAppend(&text, layer.name, ": ", layer.ops, ", ",
                    layer.bytes_before, " to ", layer.bytes_after, " bytes\n");
  }
  for (const auto& [name, reason] : left) {
    absl::StrAppend(&text, name, " stays in float: ", reason, "\n");
  }
  absl::StrAppend(&text, "constants: ", bytes_before, " to ", bytes_after,
                  " bytes");
  return text;
}

StatusOr<QuantizedGraph> QuantizeGraph(
    Session& session, const std::vector<Output>& outputs,
    const std::vector<std::vector<Feed>>& calibration,
    const QuantizeGraphOptions& options) {
  if (!(options.percentile > 50 && options.percentile <= 100)) {
    return InvalidArgument("percentile is ", options.percentile,
                           ": give a number above 50, up to 100, which is the "
                           "largest value");
  }
  MR_ASSIGN_OR_RETURN(const GraphDef frozen, FreezeGraph(session, outputs));
  MR_RETURN_IF_ERROR(CheckSkipped(frozen, options.skip));
  std::vector<std::string> tensors, nodes_of_outputs;
  for (const Output& output : outputs) {
    tensors.push_back(output.name());
    nodes_of_outputs.push_back(output.op().name());
  }
  const NetworkNodes nodes(frozen, tensors);
  QuantizedGraph result;
  QuantizationReport& report = result.report;
  std::vector<QuantizableLayer> layers =
      FindQuantizableLayers(frozen, nodes, options.skip, &report.left);
  if (layers.empty()) return NothingToQuantize(report.left);
  MR_ASSIGN_OR_RETURN(const ActivationRanges ranges,
                      CalibrateRanges(session, TensorsToWatch(layers),
                                      calibration, options.percentile));
  LeaveGroups(ranges, &layers, &report.left);
  if (layers.empty()) return NothingToQuantize(report.left);
  QuantizedWriter writer(frozen, nodes, &layers, ranges);
  MR_RETURN_IF_ERROR(writer.Write());
  result.graph = NeededNodes(writer.made(), nodes_of_outputs);
  for (NodeDef& node : result.graph.nodes) {
    node.attrs.Erase("_class");  // may name a node that is not there any more
    if (!options.keep_devices) node.device.clear();
  }
  for (const QuantizableLayer& layer : layers) {
    const auto [before, after] = writer.SizesOf(layer);
    report.quantized.push_back(
        {layer.node().name, OpsOf(layer.nodes), before, after});
  }
  report.bytes_before = ConstantBytes(frozen);
  report.bytes_after = ConstantBytes(result.graph);
  return result;
}

}  // namespace millrace::train

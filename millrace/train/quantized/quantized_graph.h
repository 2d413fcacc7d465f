// QuantizeGraph: a trained network in 8 bits. Weights become bytes with a
// range, a quarter of the size, and layers are computed with integers.
//
//   auto quantized = QuantizeGraph(session, {logits}, batches);
//   if (!quantized.ok()) { ... }
//   std::puts(quantized->report.Text().c_str());
//   const Scope served = Scope::NewRoot();
//   const Status imported = served.graph().Import(quantized->graph);
//   const StatusOr<Output> output = served.graph().FindOutput("logits");
//
// Names of what goes in and comes out stay what they are. The ops are
// TensorFlow's, so its servers and clients run the graph too.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "millrace/client/session.h"
#include "millrace/graph/graph_def.h"

namespace millrace::train {

struct QuantizeGraphOptions {
  // How many of the values of each batch an activation's range covers: 99.99
  // leaves out the few that are far from all others, which then become the
  // largest. Above 50, up to 100.
  double percentile = 100;
  // Names of MatMul and Conv2D nodes that stay in float.
  std::vector<std::string> skip;
  // Without, nodes lose their devices, so that any process can run them.
  bool keep_devices = false;
};

// A layer that is computed in 8 bits.
struct QuantizedLayer {
  std::string name;  // of its MatMul or Conv2D
  std::string ops;   // what became one op: "MatMul+BiasAdd+Relu"
  int64_t bytes_before = 0, bytes_after = 0;  // of its weights
};

// Says what became of a network.
struct QuantizationReport {
  std::vector<QuantizedLayer> quantized;
  // Names of nodes that stay in float, and why.
  std::vector<std::pair<std::string, std::string>> left;
  int64_t bytes_before = 0, bytes_after = 0;  // of all constants

  std::string Text() const;  // a line for each, and one for the bytes
};

struct QuantizedGraph {
  GraphDef graph;
  QuantizationReport report;
};

// Returns the part of the session's graph that `outputs` need, with its MatMul
// and Conv2D layers in 8 bits, and variables as constants. `calibration` has
// lists of feeds with examples like those that the network will see: they show
// which numbers its activations have.
//
// Constant weights become qint8 with the largest of them as range, for each
// filter of a convolution if its result is bytes, too. With the bias and Relu
// that follow it a layer is one op, and passes bytes on to the next.
//
// Returns INVALID_ARGUMENT for what FreezeGraph and CalibrateRanges refuse, for
// a percentile beyond its limits, a name in `skip` that the outputs do not
// need, weights that are not finite, and if there is nothing to quantize.
StatusOr<QuantizedGraph> QuantizeGraph(
    Session& session, const std::vector<Output>& outputs,
    const std::vector<std::vector<Feed>>& calibration,
    const QuantizeGraphOptions& options = {});

}  // namespace millrace::train

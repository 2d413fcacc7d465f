// Writes a network's layers as ops of bytes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "millrace/base/status.h"
#include "millrace/train/quantized/calibrated_ranges.h"
#include "millrace/train/quantized/quantizable_layers.h"

namespace millrace::train {

// Refers to all that it is made of. Not thread-safe.
class QuantizedWriter {
 public:
  // `ranges` has those of the inputs of all layers and of the results of those
  // that end in Relu. Layers whose Relu stays in float lose it.
  QuantizedWriter(const GraphDef& frozen, const NetworkNodes& nodes,
                  std::vector<QuantizableLayer>* layers,
                  const ActivationRanges& ranges);

  // Replaces the layers. INVALID_ARGUMENT for weights that are not finite.
  Status Write();

  // The whole graph, with nodes that nobody needs any more.
  const GraphDef& made() const { return made_; }
  // Returns the bytes of a layer's weights before and after.
  std::pair<int64_t, int64_t> SizesOf(const QuantizableLayer& layer) const;

 private:
  // A tensor of bytes: b stands for (b - zero) * step. `ends` names two
  // constants, the range if zero were 0.
  struct Bytes {
    std::string name;
    DataType type = DataType::kQuint8;
    double step = 1;
    int64_t zero = 0;
    std::vector<std::string> ends;
  };
  struct Weights {
    std::string name, min, max;
    std::vector<float> sizes;  // of the ranges: one, or one for each unit
    std::vector<double> sums;  // of the columns
    int64_t bytes_before = 0, bytes_after = 0;
  };

  const QuantizableLayer* ProducerOf(const QuantizableLayer& layer) const;
  bool Passes(const QuantizableLayer& layer) const {
    return passing_.contains(&layer);
  }
  float TopOf(const QuantizableLayer& layer) const;

  Status WriteLayer(const QuantizableLayer& layer);
  Bytes BytesInto(const QuantizableLayer& layer);
  std::string Quantize(const std::string& tensor, const std::string& kind,
                       const std::vector<std::string>& ends, DataType type);
  std::string PassOn(const std::string& tensor,
                     const QuantizableLayer& producer);
  StatusOr<Weights> WeightsOf(const QuantizableLayer& layer);
  StatusOr<Weights> MakeWeights(const QuantizableLayer& layer);
  void TakeShapesOfBytes();

  std::string KeyOfWeights(const QuantizableLayer& layer) const;
  std::string FreeName(const std::string& name);
  std::vector<std::string> Range(const std::string& base, float min, float max);
  std::string Constant(const std::string& name, Tensor value);
  NodeDef& Add(std::string name, std::string op,
               std::vector<std::string> inputs, AttrMap attrs);

  const NetworkNodes& nodes_;
  std::vector<QuantizableLayer>& layers_;
  const ActivationRanges& ranges_;
  GraphDef made_;
  absl::flat_hash_map<std::string, const QuantizableLayer*> by_result_;
  // Layers whose result is bytes that another layer takes.
  absl::flat_hash_set<const QuantizableLayer*> passing_;
  absl::flat_hash_map<const QuantizableLayer*, std::string> layer_names_;
  absl::flat_hash_set<std::string> names_;
  // Nodes that several layers share, by what they are or by the tensor as
  // floats.
  absl::flat_hash_map<std::string, std::vector<std::string>> ends_;
  absl::flat_hash_map<std::string, std::string> quantized_;
  absl::flat_hash_map<std::string, std::string> bytes_of_;
  absl::flat_hash_map<std::string, Weights> weights_;
};

}  // namespace millrace::train

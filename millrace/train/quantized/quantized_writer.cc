#include "millrace/train/quantized/quantized_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "millrace/train/quantized/op_types.h"

namespace millrace::train {
namespace {

// The largest numbers of quint8 and qint8.
constexpr double kLargestByte = 255, kLargestSigned = 127;
// QuantizeV2 widens ranges that are smaller, by this part of the largest
// number.
constexpr float kLeastRange = 0.01f;

constexpr char kOutputRange[] = "/quantized/output";

}  // namespace

QuantizedWriter::QuantizedWriter(const GraphDef& frozen,
                                 const NetworkNodes& nodes,
                                 std::vector<QuantizableLayer>* layers,
                                 const ActivationRanges& ranges)
    : nodes_(nodes), layers_(*layers), ranges_(ranges) {
  for (const NodeDef& node : frozen.nodes) names_.insert(node.name);
  for (const QuantizableLayer& layer : layers_) {
    by_result_[layer.result()] = &layer;
  }
  for (const QuantizableLayer& layer : layers_) {
    const QuantizableLayer* const producer = ProducerOf(layer);
    if (producer != nullptr) passing_.insert(producer);
  }
  absl::flat_hash_set<std::string> replaced;
  for (QuantizableLayer& layer : layers_) {
    if (layer.activation == LayerActivation::kRelu6 && !Passes(layer)) {
      layer.nodes.pop_back();
      layer.activation = LayerActivation::kNone;
    }
    layer_names_[&layer] = FreeName(absl::StrCat(layer.result(), "/quantized"));
    for (const NodeDef* node : layer.nodes) replaced.insert(node->name);
  }
  made_.library = frozen.library;
  made_.versions = frozen.versions;
  for (const NodeDef& node : frozen.nodes) {
    if (!replaced.contains(node.name)) made_.nodes.push_back(node);
  }
}

Status QuantizedWriter::Write() {
  for (const QuantizableLayer& layer : layers_) {
    MR_RETURN_IF_ERROR(WriteLayer(layer));
  }
  TakeShapesOfBytes();
  return OkStatus();
}

std::pair<int64_t, int64_t> QuantizedWriter::SizesOf(
    const QuantizableLayer& layer) const {
  const auto found = weights_.find(KeyOfWeights(layer));
  if (found == weights_.end()) return {0, 0};
  return {found->second.bytes_before, found->second.bytes_after};
}

// Returns the layer whose bytes this one takes, through ops that pass them on;
// null if there is none.
const QuantizableLayer* QuantizedWriter::ProducerOf(
    const QuantizableLayer& layer) const {
  std::string name = layer.input();
  for (;;) {
    const auto found = by_result_.find(name);
    if (found != by_result_.end()) {
      return found->second->activation == LayerActivation::kNone
                 ? nullptr
                 : found->second;
    }
    const NodeDef* const node = nodes_.Find(name);
    if (node == nullptr || !PassesBytes(*node)) return nullptr;
    name = ShortInputName(node->inputs[0]);
  }
}

// Returns the largest number of a layer's bytes.
float QuantizedWriter::TopOf(const QuantizableLayer& layer) const {
  float top = ranges_.at(layer.result()).max;
  if (layer.activation == LayerActivation::kRelu6) top = std::min(top, 6.0f);
  return top > 0 ? top : 1.0f;
}

Status QuantizedWriter::WriteLayer(const QuantizableLayer& layer) {
  const Bytes taken = BytesInto(layer);
  MR_ASSIGN_OR_RETURN(const Weights weights, WeightsOf(layer));
  // What the zero adds to each sum is the same for all examples.
  Tensor bias = Tensor::New(
      DataType::kFloat, TensorShape({static_cast<int64_t>(layer.bias.size())}));
  for (size_t j = 0; j < layer.bias.size(); ++j) {
    const double size = weights.sizes[weights.sizes.size() == 1 ? 0 : j];
    bias.mutable_flat<float>()[j] = static_cast<float>(
        layer.bias[j] - static_cast<double>(taken.zero) * taken.step * size /
                            kLargestSigned * weights.sums[j]);
  }
  std::vector<std::string> inputs = {
      taken.name,
      weights.name,
      Constant(absl::StrCat(layer.result(), "/quantized/bias"),
               std::move(bias)),
      taken.ends[0],
      taken.ends[1],
      weights.min,
      weights.max};
  const bool is_conv = layer.is_conv();
  AttrMap attrs = {{is_conv ? "Tinput" : "T1", taken.type},
                   {is_conv ? "Tfilter" : "T2", DataType::kQint8}};
  std::string op = is_conv ? op_types::kByteConv2D : op_types::kByteMatMul;
  DataType result = DataType::kQint32;
  if (Passes(layer)) {
    op += "AndReluAndRequantize";
    result = DataType::kQuint8;
    attrs.Set("Tbias", DataType::kFloat);
    for (std::string& end :
         Range(layer.result() + kOutputRange, 0, TopOf(layer))) {
      inputs.push_back(std::move(end));
    }
  } else if (layer.activation == LayerActivation::kRelu) {
    op += "AndRelu";
  } else if (!is_conv) {
    attrs.Set("Tbias", DataType::kFloat);
  }
  attrs.Set(is_conv ? "out_type" : "Toutput", result);
  for (const char* name : {"strides", "padding", "dilations"}) {
    const AttrValue* const value = layer.node().attrs.Find(name);
    if (is_conv && value != nullptr) attrs.Set(name, *value);
  }
  for (const NodeDef* node : layer.nodes) {
    for (const std::string& input : node->inputs) {
      if (IsControlInput(input) &&
          std::find(inputs.begin(), inputs.end(), input) == inputs.end()) {
        inputs.push_back(input);
      }
    }
  }
  const std::string& name = layer_names_[&layer];
  Add(name, std::move(op), std::move(inputs), std::move(attrs)).device =
      layer.node().device;
  // Floats under the name of the layer's result, for whoever takes them. In
  // this mode TensorFlow takes all types, and loses no bits of 32-bit sums.
  Add(layer.result(), op_types::kToFloats,
      {name, absl::StrCat(name, ":1"), absl::StrCat(name, ":2")},
      {{"T", result}, {"mode", "MIN_FIRST"}})
      .device = layer.node().device;
  return OkStatus();
}

QuantizedWriter::Bytes QuantizedWriter::BytesInto(
    const QuantizableLayer& layer) {
  Bytes bytes;
  const std::string input = layer.input();
  if (const QuantizableLayer* const producer = ProducerOf(layer)) {
    const float top = TopOf(*producer);
    bytes.step = top / kLargestByte;
    bytes.ends = Range(producer->result() + kOutputRange, 0, top);
    bytes.name = PassOn(input, *producer);
    return bytes;
  }
  const ActivationRange& range = ranges_.at(input);
  if (layer.is_conv() && range.min < 0) {
    // Around the image are zeros, so 0 has to be a number: this type has it in
    // the middle.
    const float size = std::max({-range.min, range.max, kLeastRange});
    bytes.type = DataType::kQint8;
    bytes.step = size / kLargestSigned;
    bytes.ends = Range(input + "/quantized/signed", -size, size);
    bytes.name = Quantize(input, "signed", bytes.ends, bytes.type);
    return bytes;
  }
  const float low = std::min(range.min, 0.0f);
  const float high = std::max(
      {range.max, low + kLeastRange * std::max({1.0f, -low, range.max}), 0.0f});
  const float size = high - low;
  bytes.step = size / kLargestByte;
  // As QuantizeV2 computes it.
  bytes.zero = static_cast<int64_t>(
      std::round(-low * static_cast<float>(kLargestByte / size)));
  bytes.ends = Range(input + "/quantized/bytes", low, high);
  bytes.name = Quantize(input, "bytes", bytes.ends, bytes.type);
  if (low < 0) bytes.ends = Range(input + "/quantized/size", 0, size);
  return bytes;
}

std::string QuantizedWriter::Quantize(const std::string& tensor,
                                      const std::string& kind,
                                      const std::vector<std::string>& ends,
                                      DataType type) {
  std::string& name = quantized_[absl::StrCat(kind, " ", tensor)];
  if (!name.empty()) return name;
  name = FreeName(absl::StrCat(absl::StrReplaceAll(tensor, {{":", "_"}}),
                               "/quantized/", kind, "/numbers"));
  NodeDef& node =
      Add(name, op_types::kToBytes, {tensor, ends[0], ends[1]},
          {{"T", type},
           {"mode", type == DataType::kQint8 ? "SCALED" : "MIN_FIRST"}});
  const NodeDef* const from = nodes_.Find(NodeOfInput(tensor));
  if (from != nullptr) node.device = from->device;
  return name;
}

// Returns the bytes of a tensor that comes from a layer through ops that pass
// them on.
std::string QuantizedWriter::PassOn(const std::string& tensor,
                                    const QuantizableLayer& producer) {
  if (tensor == producer.result()) {
    return bytes_of_[tensor] = layer_names_[&producer];
  }
  const auto found = bytes_of_.find(tensor);
  if (found != bytes_of_.end()) return found->second;
  NodeDef copy = *nodes_.Find(tensor);
  copy.inputs[0] = PassOn(ShortInputName(copy.inputs[0]), producer);
  if (copy.op == op_types::kMaxPool) {
    AttrMap attrs = {{"T", DataType::kQuint8}};
    for (const char* name : {"ksize", "strides", "padding"}) {
      const AttrValue* const value = copy.attrs.Find(name);
      if (value != nullptr) attrs.Set(name, *value);
    }
    copy.op = op_types::kByteMaxPool;
    copy.attrs = std::move(attrs);
    const auto ends =
        Range(producer.result() + kOutputRange, 0, TopOf(producer));
    copy.inputs.insert(copy.inputs.begin() + 1, ends.begin(), ends.end());
  } else {
    copy.attrs.Set("T", DataType::kQuint8);
  }
  copy.name = FreeName(absl::StrCat(tensor, "/quantized"));
  made_.nodes.push_back(copy);
  return bytes_of_[tensor] = copy.name;
}

std::string QuantizedWriter::KeyOfWeights(const QuantizableLayer& layer) const {
  return absl::StrCat(layer.weights->name,
                      layer.is_conv() && Passes(layer) ? " filters" : "",
                      layer.is_transposed() ? " transposed" : "");
}

StatusOr<QuantizedWriter::Weights> QuantizedWriter::WeightsOf(
    const QuantizableLayer& layer) {
  const std::string key = KeyOfWeights(layer);
  auto found = weights_.find(key);
  if (found == weights_.end()) {
    MR_ASSIGN_OR_RETURN(Weights made, MakeWeights(layer));
    found = weights_.emplace(key, std::move(made)).first;
  }
  return found->second;
}

StatusOr<QuantizedWriter::Weights> QuantizedWriter::MakeWeights(
    const QuantizableLayer& layer) {
  const std::string& name = layer.weights->name;
  MR_ASSIGN_OR_RETURN(const Tensor value,
                      GetAttr<Tensor>(layer.weights->attrs, "value"));
  const auto from = value.flat<float>();
  if (!std::all_of(from.begin(), from.end(),
                   [](float v) { return std::isfinite(v); })) {
    return InvalidArgument("the weights ", name,
                           " have NaN or infinite numbers");
  }
  const bool per_filter = layer.is_conv() && Passes(layer);
  const bool transposed = layer.is_transposed();
  const size_t columns = layer.bias.size();
  const size_t rows = columns == 0 ? 0 : from.size() / columns;
  const auto at = [&](size_t row, size_t column) {
    return from[transposed ? column * rows + row : row * columns + column];
  };
  Weights made;
  made.sizes.assign(per_filter ? columns : 1, 0.0f);
  const auto size_of = [&](size_t column) -> float& {
    return made.sizes[per_filter ? column : 0];
  };
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) {
      size_of(j) = std::max(size_of(j), std::abs(at(i, j)));
    }
  }
  for (float& size : made.sizes) size = size > 0 ? size : 1;
  Tensor numbers =
      Tensor::New(DataType::kQint8,
                  transposed ? TensorShape({static_cast<int64_t>(rows),
                                            static_cast<int64_t>(columns)})
                             : value.shape());
  auto* const to = reinterpret_cast<int8_t*>(numbers.mutable_data());
  made.sums.assign(columns, 0);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) {
      const float steps = std::nearbyint(at(i, j) / size_of(j) *
                                         static_cast<float>(kLargestSigned));
      to[i * columns + j] = static_cast<int8_t>(steps);
      made.sums[j] += static_cast<double>(steps);
    }
  }
  const std::string base = absl::StrCat(name, "/quantized",
                                        per_filter   ? "/filters"
                                        : transposed ? "/transposed"
                                                     : "");
  Tensor min =
      Tensor::New(DataType::kFloat,
                  per_filter ? TensorShape({static_cast<int64_t>(columns)})
                             : TensorShape());
  Tensor max = Tensor::New(DataType::kFloat, min.shape());
  for (size_t j = 0; j < made.sizes.size(); ++j) {
    min.mutable_flat<float>()[j] = -made.sizes[j];
    max.mutable_flat<float>()[j] = made.sizes[j];
  }
  made.bytes_before = static_cast<int64_t>(value.size_bytes());
  made.bytes_after = static_cast<int64_t>(numbers.size_bytes() +
                                          min.size_bytes() + max.size_bytes());
  made.name = Constant(base, std::move(numbers));
  made.min = Constant(base + "/min", std::move(min));
  made.max = Constant(base + "/max", std::move(max));
  return made;
}

// Lets nodes that only ask for a shape ask bytes, so that nothing is converted
// for them.
void QuantizedWriter::TakeShapesOfBytes() {
  for (NodeDef& node : made_.nodes) {
    if (node.op != op_types::kShape) continue;
    const auto found = bytes_of_.find(ShortInputName(node.inputs[0]));
    if (found == bytes_of_.end()) continue;
    node.inputs[0] = found->second;
    node.attrs.Set("T", DataType::kQuint8);
  }
}

// Returns the name, or one like it that the graph does not have.
std::string QuantizedWriter::FreeName(const std::string& name) {
  std::string free = name;
  for (int i = 1; !names_.insert(free).second; ++i) {
    free = absl::StrCat(name, "_", i);
  }
  return free;
}

// Returns the names of two constants with the ends of a range, made once.
std::vector<std::string> QuantizedWriter::Range(const std::string& base,
                                                float min, float max) {
  const auto found = ends_.find(base);
  if (found != ends_.end()) return found->second;
  const std::string plain = absl::StrReplaceAll(base, {{":", "_"}});
  std::vector<std::string> ends = {
      Constant(plain + "/min", Tensor::Scalar(min)),
      Constant(plain + "/max", Tensor::Scalar(max))};
  ends_[base] = ends;
  return ends;
}

std::string QuantizedWriter::Constant(const std::string& name, Tensor value) {
  std::string free = FreeName(name);
  const DataType type = value.dtype();
  Add(free, op_types::kConst, {},
      {{"dtype", type}, {"value", std::move(value)}});
  return free;
}

NodeDef& QuantizedWriter::Add(std::string name, std::string op,
                              std::vector<std::string> inputs, AttrMap attrs) {
  NodeDef& node = made_.nodes.emplace_back();
  node.name = std::move(name);
  node.op = std::move(op);
  node.inputs = std::move(inputs);
  node.attrs = std::move(attrs);
  return node;
}

}  // namespace millrace::train

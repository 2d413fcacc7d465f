#include "millrace/train/layers/split_dense.h"

#include "millrace/client/ops.h"
#include "millrace/train/layers/dense_product.h"
#include "millrace/train/layers/device_parts.h"

namespace millrace::train {
namespace {

// A call of SplitDense, once its arguments are known to fit.
class DenseParts {
 public:
  DenseParts(const VariableScope& layer, const SplitTensor& x, int64_t units,
             const std::vector<std::string>& devices,
             const SplitDenseOptions& options)
      : layer_(layer),
        s_(layer.scope()),
        x_(x),
        units_(units),
        devices_(devices),
        options_(options),
        type_(x.parts[0].dtype()),
        last_axis_(x.parts[0].shape().rank() - 1),
        inputs_(ShapeOfWhole(x).dim(last_axis_)) {}

  SplitTensor ByUnits() const {
    const ops::PartitionedVariable kernel = Kernel(1);
    if (!kernel) return {};
    ops::PartitionedVariable bias;
    if (options_.use_bias) {
      bias = VariableInParts(layer_, "bias", TensorShape({units_}), 0, devices_,
                             BiasOptions());
      if (!bias) return {};
    }
    std::vector<Output> slices;
    for (size_t i = 0; i < devices_.size(); ++i) {
      const Scope there = ScopeOfPart(s_, devices_, i);
      const ops::Variable& part = kernel.parts()[i];
      const Output all = Join(there, x_);
      if (!all) return {};
      Output y = DenseProduct(there, all, part, inputs_, part.shape().dim(1));
      if (bias) y = ops::BiasAdd(there, y, bias.parts()[i]);
      slices.push_back(Activated(there, options_.activation, y));
    }
    return {std::move(slices), last_axis_};
  }

  SplitTensor ByInputs() const {
    const ops::PartitionedVariable kernel = Kernel(0);
    const SplitTensor slices =
        SlicesOf(s_, x_, last_axis_, EvenSizes(inputs_, devices_.size()));
    if (!kernel || !slices) return {};
    std::vector<Output> sums;
    for (size_t i = 0; i < devices_.size(); ++i) {
      const ops::Variable& part = kernel.parts()[i];
      sums.push_back(DenseProduct(ScopeOfPart(s_, devices_, i), slices.parts[i],
                                  part, part.shape().dim(0), units_));
    }
    const Scope last = s_.WithDevice(devices_.back());
    Output y = sums.size() == 1 ? sums[0] : ops::AddN(last, sums);
    if (options_.use_bias) {
      const Output bias = layer_.WithScope(last).GetValue(
          "bias", TensorShape({units_}), BiasOptions());
      if (!bias) return {};
      y = ops::BiasAdd(last, y, bias);
    }
    return Activated(last, options_.activation, y);
  }

 private:
  ops::PartitionedVariable Kernel(int axis) const {
    return VariableInParts(layer_, "kernel", TensorShape({inputs_, units_}),
                           axis, devices_,
                           {.dtype = type_,
                            .initializer = options_.kernel_initializer,
                            .regularizer = options_.kernel_regularizer,
                            .trainable = options_.trainable});
  }
  GetVariableOptions BiasOptions() const {
    return {.dtype = type_,
            .initializer =
                options_.bias_initializer ? options_.bias_initializer : Zeros(),
            .regularizer = options_.bias_regularizer,
            .trainable = options_.trainable};
  }

  const VariableScope& layer_;
  const Scope& s_;
  const SplitTensor& x_;
  const int64_t units_;
  const std::vector<std::string>& devices_;
  const SplitDenseOptions& options_;
  const DataType type_;
  const int last_axis_;
  const int64_t inputs_;
};

}  // namespace

SplitTensor SplitDense(const VariableScope& variables, const SplitTensor& x,
                       int64_t units, const std::vector<std::string>& devices,
                       const SplitDenseOptions& options) {
  const VariableScope layer = options.name.empty()
                                  ? variables.UniqueSub("dense")
                                  : variables.Sub(options.name);
  const Scope& s = layer.scope();
  if (!x) return {};
  const PartialShape shape = ShapeOfWhole(x);
  if (!shape.known_rank() || shape.rank() < 1 ||
      shape.dim(shape.rank() - 1) == kUnknownDim || units < 1) {
    s.Fail(InvalidArgument("The last dimension of the inputs to SplitDense "
                           "should be defined and units positive, found "
                           "inputs ",
                           shape.DebugString(), " and units ", units),
           layer.name());
    return {};
  }
  const bool by_units = options.cut == DenseCut::kUnits;
  if (!CheckCut(layer, "SplitDense", by_units ? "units" : "inputs",
                by_units ? units : shape.dim(shape.rank() - 1), devices)) {
    return {};
  }
  const DenseParts parts(layer, x, units, devices, options);
  return by_units ? parts.ByUnits() : parts.ByInputs();
}

}  // namespace millrace::train

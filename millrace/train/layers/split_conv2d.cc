#include "millrace/train/layers/split_conv2d.h"

#include "millrace/client/ops.h"
#include "millrace/train/layers/all_dimensions.h"
#include "millrace/train/layers/device_parts.h"
#include "millrace/train/layers/image_axes.h"
#include "millrace/train/layers/row_chunks.h"

namespace millrace::train {
namespace {

// A call of SplitConv2D, once its arguments are known to fit.
class Conv2DParts {
 public:
  Conv2DParts(const VariableScope& layer, const SplitTensor& x, int64_t filters,
              std::array<int64_t, 2> kernel_size,
              const std::vector<std::string>& devices,
              const SplitConv2DOptions& options)
      : layer_(layer),
        s_(layer.scope()),
        x_(x),
        shape_(ShapeOfWhole(x)),
        axes_(AxesOf(options.data_format)),
        filters_(filters),
        kernel_size_(kernel_size),
        devices_(devices),
        options_(options) {}

  SplitTensor ByFilters() const {
    const ops::PartitionedVariable kernel = KernelInParts(3);
    if (!kernel) return {};
    ops::PartitionedVariable bias;
    if (options_.use_bias) {
      bias = VariableInParts(layer_, "bias", TensorShape({filters_}), 0,
                             devices_, BiasOptions());
      if (!bias) return {};
    }
    std::vector<Output> slices;
    for (size_t i = 0; i < devices_.size(); ++i) {
      const Scope there = ScopeOfPart(s_, devices_, i);
      slices.push_back(Finished(there,
                                Sums(there, Join(there, x_), kernel.parts()[i]),
                                bias ? bias.parts()[i].value() : Output()));
    }
    return {std::move(slices), axes_.channels};
  }

  SplitTensor ByChannels() const {
    const ops::PartitionedVariable kernel = KernelInParts(2);
    const SplitTensor slices =
        SlicesOf(s_, x_, axes_.channels,
                 EvenSizes(shape_.dim(axes_.channels), devices_.size()));
    if (!kernel || !slices) return {};
    std::vector<Output> sums;
    for (size_t i = 0; i < devices_.size(); ++i) {
      sums.push_back(Sums(ScopeOfPart(s_, devices_, i), slices.parts[i],
                          kernel.parts()[i]));
    }
    const Scope last = s_.WithDevice(devices_.back());
    const Output all = sums.size() == 1 ? sums[0] : ops::AddN(last, sums);
    const Output bias = BiasInOnePiece(layer_.WithScope(last));
    if (options_.use_bias && !bias) return {};
    return Finished(last, all, bias);
  }

  SplitTensor ByRows() const {
    const Output kernel =
        layer_.GetValue("kernel", KernelShape(), KernelOptions());
    const Output bias = BiasInOnePiece(layer_);
    if (!kernel || (options_.use_bias && !bias)) return {};
    const SplitTensor image =
        x_.parts.size() == 1 || x_.axis == axes_.rows ? x_ : Join(s_, x_);
    const Margins columns = ColumnMargins();
    std::vector<Output> slices;
    for (const RowChunk& chunk :
         RowChunks(shape_.dim(axes_.rows), RowWindows(), devices_.size())) {
      const Scope there = ScopeOfPart(s_, devices_, slices.size());
      const Output rows =
          RangeOf(there, image, axes_.rows, chunk.begin, chunk.end);
      const Output sums =
          chunk.margins || columns
              ? Padded(there, rows, kernel, chunk.margins, columns)
              : Convolved(there, rows, kernel, WordOf(Padding::kValid), {});
      slices.push_back(Finished(there, sums, bias));
    }
    return {std::move(slices), axes_.rows};
  }

  // Returns whether the sizes that kRows needs are known.
  bool CheckRows() const {
    const int64_t rows = shape_.dim(axes_.rows);
    if (rows != kUnknownDim && (options_.padding == Padding::kValid ||
                                shape_.dim(axes_.columns) != kUnknownDim)) {
      return CheckCut(layer_, "SplitConv2D", "rows of the output",
                      WindowCount(rows, RowWindows()), devices_);
    }
    s_.Fail(InvalidArgument("SplitConv2D: to cut images by rows, their height, "
                            "and with padding SAME their width, should be "
                            "defined, found inputs ",
                            shape_.DebugString()),
            layer_.name());
    return false;
  }

 private:
  Windows RowWindows() const {
    return {.size = kernel_size_[0],
            .stride = options_.strides[0],
            .dilation = options_.dilations[0],
            .padding = options_.padding};
  }
  Margins ColumnMargins() const {
    return MarginsOf(shape_.dim(axes_.columns),
                     {.size = kernel_size_[1],
                      .stride = options_.strides[1],
                      .dilation = options_.dilations[1],
                      .padding = options_.padding});
  }

  Output Convolved(const Scope& scope, const Output& x, const Output& kernel,
                   const char* padding,
                   const std::vector<int64_t>& explicit_paddings) const {
    return ops::Conv2D(
        scope, x, kernel, AllDimensions(options_.strides, options_.data_format),
        padding,
        {.explicit_paddings = explicit_paddings,
         .data_format = WordOf(options_.data_format),
         .dilations = AllDimensions(options_.dilations, options_.data_format)});
  }
  Output Padded(const Scope& scope, const Output& x, const Output& kernel,
                const Margins& rows, const Margins& columns) const {
    return Convolved(scope, x, kernel, "EXPLICIT",
                     ExplicitPaddings(axes_, rows, columns));
  }
  Output Sums(const Scope& scope, const Output& x, const Output& kernel) const {
    return Convolved(scope, x, kernel, WordOf(options_.padding), {});
  }
  // A null bias: none.
  Output Finished(const Scope& scope, Output y, const Output& bias) const {
    if (bias) {
      y = ops::BiasAdd(scope, y, bias,
                       {.data_format = WordOf(options_.data_format)});
    }
    return Activated(scope, options_.activation, y);
  }

  TensorShape KernelShape() const {
    return TensorShape({kernel_size_[0], kernel_size_[1],
                        shape_.dim(axes_.channels), filters_});
  }
  GetVariableOptions KernelOptions() const {
    return {.dtype = x_.parts[0].dtype(),
            .initializer = options_.kernel_initializer,
            .regularizer = options_.kernel_regularizer,
            .trainable = options_.trainable};
  }
  GetVariableOptions BiasOptions() const {
    return {.dtype = x_.parts[0].dtype(),
            .initializer =
                options_.bias_initializer ? options_.bias_initializer : Zeros(),
            .regularizer = options_.bias_regularizer,
            .trainable = options_.trainable};
  }
  ops::PartitionedVariable KernelInParts(int axis) const {
    return VariableInParts(layer_, "kernel", KernelShape(), axis, devices_,
                           KernelOptions());
  }
  // Null if there is none.
  Output BiasInOnePiece(const VariableScope& layer) const {
    if (!options_.use_bias) return {};
    return layer.GetValue("bias", TensorShape({filters_}), BiasOptions());
  }

  const VariableScope& layer_;
  const Scope& s_;
  const SplitTensor& x_;
  const PartialShape shape_;
  const ImageAxes axes_;
  const int64_t filters_;
  const std::array<int64_t, 2> kernel_size_;
  const std::vector<std::string>& devices_;
  const SplitConv2DOptions& options_;
};

bool AreAllPositive(std::array<int64_t, 2> numbers) {
  return numbers[0] > 0 && numbers[1] > 0;
}

}  // namespace

SplitTensor SplitConv2D(const VariableScope& variables, const SplitTensor& x,
                        int64_t filters, std::array<int64_t, 2> kernel_size,
                        const std::vector<std::string>& devices,
                        const SplitConv2DOptions& options) {
  const VariableScope layer = options.name.empty()
                                  ? variables.UniqueSub("conv2d")
                                  : variables.Sub(options.name);
  if (!x) return {};
  const PartialShape shape = ShapeOfWhole(x);
  const int channel_axis = AxesOf(options.data_format).channels;
  if (!shape.known_rank() || shape.rank() != 4 ||
      shape.dim(channel_axis) == kUnknownDim || filters < 1 ||
      !AreAllPositive(kernel_size) || !AreAllPositive(options.strides) ||
      !AreAllPositive(options.dilations)) {
    layer.scope().Fail(
        InvalidArgument(
            "The channel dimension of the inputs to SplitConv2D should be "
            "defined, of four, filters, sizes, strides and dilations positive, "
            "found inputs ",
            shape.DebugString(), ", filters ", filters, ", kernel ",
            kernel_size[0], "x", kernel_size[1], ", strides ",
            options.strides[0], "x", options.strides[1], ", dilations ",
            options.dilations[0], "x", options.dilations[1]),
        layer.name());
    return {};
  }
  const Conv2DParts parts(layer, x, filters, kernel_size, devices, options);
  switch (options.cut) {
    case Conv2DCut::kFilters:
      if (!CheckCut(layer, "SplitConv2D", "filters", filters, devices)) break;
      return parts.ByFilters();
    case Conv2DCut::kChannels:
      if (!CheckCut(layer, "SplitConv2D", "channels", shape.dim(channel_axis),
                    devices)) {
        break;
      }
      return parts.ByChannels();
    case Conv2DCut::kRows:
      if (!parts.CheckRows()) break;
      return parts.ByRows();
  }
  return {};
}

}  // namespace millrace::train

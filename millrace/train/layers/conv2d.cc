#include "millrace/train/layers/conv2d.h"

#include "millrace/client/ops.h"
#include "millrace/train/layers/all_dimensions.h"

namespace millrace::train {

Output Conv2D(const VariableScope& variables, const Output& x, int64_t filters,
              std::array<int64_t, 2> kernel_size,
              const Conv2DOptions& options) {
  const VariableScope layer = options.name.empty()
                                  ? variables.UniqueSub("conv2d")
                                  : variables.Sub(options.name);
  const Scope& s = layer.scope();
  if (!x) return {};
  const PartialShape shape = x.shape();
  const int channel_axis = options.data_format == DataFormat::kNchw ? 1 : 3;
  if (!shape.known_rank() || shape.rank() != 4 ||
      shape.dim(channel_axis) == kUnknownDim || filters < 1 ||
      kernel_size[0] < 1 || kernel_size[1] < 1) {
    s.Fail(InvalidArgument(
               "The channel dimension of the inputs to Conv2D should be "
               "defined, of four, filters and sizes positive, found inputs ",
               shape.DebugString(), ", filters ", filters, ", kernel ",
               kernel_size[0], "x", kernel_size[1]),
           layer.name());
    return {};
  }
  const Output kernel =
      layer.GetValue("kernel",
                     TensorShape({kernel_size[0], kernel_size[1],
                                  shape.dim(channel_axis), filters}),
                     {.dtype = x.dtype(),
                      .initializer = options.kernel_initializer,
                      .regularizer = options.kernel_regularizer,
                      .trainable = options.trainable});
  if (!kernel) return {};
  Output y = ops::Conv2D(
      s, x, kernel, AllDimensions(options.strides, options.data_format),
      WordOf(options.padding),
      {.data_format = WordOf(options.data_format),
       .dilations = AllDimensions(options.dilations, options.data_format)});
  if (options.use_bias) {
    const Output bias = layer.GetValue(
        "bias", TensorShape({filters}),
        {.dtype = x.dtype(),
         .initializer =
             options.bias_initializer ? options.bias_initializer : Zeros(),
         .regularizer = options.bias_regularizer,
         .trainable = options.trainable});
    if (!bias) return {};
    y = ops::BiasAdd(s, y, bias, {.data_format = WordOf(options.data_format)});
  }
  return Activated(s, options.activation, y);
}

}  // namespace millrace::train

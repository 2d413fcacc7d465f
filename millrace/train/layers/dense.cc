#include "millrace/train/layers/dense.h"

#include "millrace/client/ops.h"
#include "millrace/train/layers/dense_product.h"

namespace millrace::train {

Output Dense(const VariableScope& variables, const Output& x, int64_t units,
             const DenseOptions& options) {
  const VariableScope layer = options.name.empty()
                                  ? variables.UniqueSub("dense")
                                  : variables.Sub(options.name);
  const Scope& s = layer.scope();
  if (!x) return {};
  const PartialShape shape = x.shape();
  if (!shape.known_rank() || shape.rank() < 1 ||
      shape.dim(shape.rank() - 1) == kUnknownDim || units < 1) {
    s.Fail(InvalidArgument("The last dimension of the inputs to Dense should "
                           "be defined and units positive, found inputs ",
                           shape.DebugString(), " and units ", units),
           layer.name());
    return {};
  }
  const int64_t n = shape.dim(shape.rank() - 1);
  const Output kernel =
      layer.GetValue("kernel", TensorShape({n, units}),
                     {.dtype = x.dtype(),
                      .initializer = options.kernel_initializer,
                      .regularizer = options.kernel_regularizer,
                      .trainable = options.trainable});
  if (!kernel) return {};
  Output y = DenseProduct(s, x, kernel, n, units);
  if (options.use_bias) {
    const Output bias = layer.GetValue(
        "bias", TensorShape({units}),
        {.dtype = x.dtype(),
         .initializer =
             options.bias_initializer ? options.bias_initializer : Zeros(),
         .regularizer = options.bias_regularizer,
         .trainable = options.trainable});
    if (!bias) return {};
    y = ops::BiasAdd(s, y, bias);
  }
  return Activated(s, options.activation, y);
}

}  // namespace millrace::train

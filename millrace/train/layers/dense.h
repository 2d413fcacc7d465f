// Dense: a fully connected layer.
#pragma once

#include <cstdint>
#include <string>

#include "millrace/client/variables/variable_scope.h"
#include "millrace/train/layers/activation.h"

namespace millrace::train {

struct DenseOptions {
  Activation activation;
  bool use_bias = true;
  Initializer kernel_initializer;  // empty: the scope's, else GlorotUniform
  Initializer bias_initializer;    // empty: Zeros
  Regularizer kernel_regularizer;
  Regularizer bias_regularizer;
  bool trainable = true;
  std::string name;  // empty: "dense", "dense_1", ...
};

// activation(x * kernel + bias): maps x [..., n], whose last size must be
// known, to [..., units] of x's type. Variables: "dense/kernel" [n, units],
// "dense/bias" [units]. Null after an error of the graph, as in all layers.
Output Dense(const VariableScope& variables, const Output& x, int64_t units,
             const DenseOptions& options = {});

}  // namespace millrace::train

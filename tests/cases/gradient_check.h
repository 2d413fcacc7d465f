// Gradients of small graphs against finite differences.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "millrace/client/scope.h"
#include "millrace/tensor/tensor.h"

namespace millrace::cases {

// Builds a function of its inputs.
using GraphFunction = std::function<std::vector<Output>(
    const Scope& scope, const std::vector<Output>& inputs)>;

struct GradientCheck {
  // Which inputs are moved; empty: all of floating and complex types.
  std::vector<int> inputs;
  double tolerance = 1e-5;  // relative to the largest slope, and absolute
  double step = 1e-5;
  // Also the gradients of the gradients.
  bool second = true;
};

// "" if what Gradients() gives equals the slope of the outputs (weighted with
// fixed numbers) along every element of the inputs, with shapes known and with
// unknown ones while the graph is built. Else what differs.
std::string CheckGradient(const GraphFunction& function,
                          const std::vector<Tensor>& inputs,
                          const GradientCheck& check = {});

// Numbers in [lo, hi), the same for the same seed.
Tensor RandomTensor(DataType type, TensorShape shape, double lo, double hi,
                    uint64_t seed);

}  // namespace millrace::cases

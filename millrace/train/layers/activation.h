// Activation: what a layer does to its sums.
#pragma once

#include <functional>

#include "millrace/client/scope.h"

namespace millrace::train {

// Elementwise, like ops::Relu, ops::Tanh, ops::Sigmoid, which can be given as
// they are. Empty: the sums as they are.
using Activation = std::function<Output(const Scope& scope, const Output& x)>;

inline Output Activated(const Scope& scope, const Activation& activation,
                        const Output& x) {
  return activation && x ? activation(scope, x) : x;
}

}  // namespace millrace::train

// Activation: the elementwise function that a layer applies to its sums.
#pragma once

#include <functional>

#include "millrace/client/scope.h"

namespace millrace::train {

// For example ops::Relu, ops::Tanh and ops::Sigmoid, which can be passed
// directly. Empty: the identity.
using Activation = std::function<Output(const Scope& scope, const Output& x)>;

inline Output Activated(const Scope& scope, const Activation& activation,
                        const Output& x) {
  return activation && x ? activation(scope, x) : x;
}

}  // namespace millrace::train

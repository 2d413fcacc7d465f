// A small network and data for it, for the examples that train several.
#pragma once

#include "millrace/millrace.h"

namespace millrace::distributed {

// Two classes, wound around each other: points [n, 2] and the classes [n].
// `offset` in [0, 1) moves the points along their spirals.
struct Spirals {
  explicit Spirals(double offset);
  Tensor points;
  Tensor classes;
};

// Logits [n, 2] of a network with a hidden layer; its variables lie in the
// scope.
Output Network(const Scope& scope, const Output& x, int64_t seed);
Output Loss(const Scope& scope, const Output& logits, const Output& classes);
Output Accuracy(const Scope& scope, const Output& logits,
                const Output& classes);

}  // namespace millrace::distributed

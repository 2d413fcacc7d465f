// Unary ops by name, for the chains of them that stock's graph rewriting makes.
#pragma once

#include "absl/types/span.h"
#include "millrace/ops/elementwise/loops.h"

namespace millrace::ops {

struct NamedUnary {
  const char* op;
  const UnaryTable* table;  // its loops determine the types that they take
};

// Return the ops of the files with these names.
absl::Span<const NamedUnary> ArithmeticUnaries();
absl::Span<const NamedUnary> ExponentialUnaries();
absl::Span<const NamedUnary> TrigonometricUnaries();
absl::Span<const NamedUnary> ActivationUnaries();
absl::Span<const NamedUnary> RectifierUnaries();

}  // namespace millrace::ops

// Gradients cut down: each number, each tensor's norm, or the norm of all
// (Pascanu, Mikolov, Bengio, "On the difficulty of training recurrent neural
// networks", ICML 2013).
//
// Everything takes and gives gradients of both forms; of rows the values are
// cut, and rows that occur twice count twice in a norm. Nothing stays nothing.
// Built in the scope's graph, which keeps the first error; where a value is
// infinite or not a number, so is the result.
#pragma once

#include <vector>

#include "millrace/client/gradient.h"
#include "millrace/client/input.h"

namespace millrace::train {

// Each number into [min, max]. Both are scalars or of the gradient's shape.
Gradient ClipByValue(const Scope& scope, const Gradient& gradient,
                     const Input& min, const Input& max);

// x * clip_norm / max(norm, clip_norm), with the L2 norm over `axes` (empty:
// over all dimensions).
Gradient ClipByNorm(const Scope& scope, const Gradient& gradient,
                    const Input& clip_norm,
                    const std::vector<int32_t>& axes = {});

// The same with the norm divided by the number of elements.
Gradient ClipByAverageNorm(const Scope& scope, const Gradient& gradient,
                           const Input& clip_norm);

// The L2 norm of all values together; null for a list of nothings.
Output GlobalNorm(const Scope& scope, const std::vector<Gradient>& gradients);

struct GlobalNormClip {
  std::vector<Gradient> gradients;
  Output norm;  // before
};
// All scaled by clip_norm / max(norm, clip_norm). `use_norm` is the norm if it
// is known already. A norm that is not finite makes everything NaN.
GlobalNormClip ClipByGlobalNorm(const Scope& scope,
                                const std::vector<Gradient>& gradients,
                                const Input& clip_norm,
                                const Output& use_norm = {});

}  // namespace millrace::train

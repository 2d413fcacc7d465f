// Gradient clipping: by value, by each tensor's norm, or by the global norm
// (Pascanu, Mikolov, Bengio, "On the difficulty of training recurrent neural
// networks", ICML 2013).
//
// All functions take and return dense and sparse gradients; of sparse ones the
// values are clipped, and rows that occur twice count twice in a norm. No
// gradient stays none. Ops are built in the scope's graph, which keeps the
// first error; if a value is infinite or not a number, so is the result.
#pragma once

#include <vector>

#include "millrace/client/gradient.h"
#include "millrace/client/input.h"

namespace millrace::train {

// Clips each number to [min, max]. Both are scalars or of the gradient's shape.
Gradient ClipByValue(const Scope& scope, const Gradient& gradient,
                     const Input& min, const Input& max);

struct ClipByNormOptions {
  std::vector<int32_t> axes;  // empty: all dimensions
};
// x * clip_norm / max(norm, clip_norm), with the L2 norm over `axes`.
Gradient ClipByNorm(const Scope& scope, const Gradient& gradient,
                    const Input& clip_norm,
                    const ClipByNormOptions& options = {});

// The same with the norm divided by the number of elements.
Gradient ClipByAverageNorm(const Scope& scope, const Gradient& gradient,
                           const Input& clip_norm);

// Returns the L2 norm of all values together; null if there are no gradients.
Output GlobalNorm(const Scope& scope, const std::vector<Gradient>& gradients);

struct ClipByGlobalNormOptions {
  Output use_norm;  // the norm if it is known already
};
struct GlobalNormClip {
  std::vector<Gradient> gradients;
  Output norm;  // before
};
// Scales all gradients by clip_norm / max(norm, clip_norm). A norm that is not
// finite makes everything NaN.
GlobalNormClip ClipByGlobalNorm(const Scope& scope,
                                const std::vector<Gradient>& gradients,
                                const Input& clip_norm,
                                const ClipByGlobalNormOptions& options = {});

}  // namespace millrace::train

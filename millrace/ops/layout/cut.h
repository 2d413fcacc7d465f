// Splits the input of a kernel into its outputs.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

struct CutOptions {
  bool drops_axis = false;     // outputs lack the dimension; all sizes are 1
  bool shares_vector = false;  // else copies pieces of a view
};

// Sets output i to the piece of sizes[i] of the input along `axis`. Requires:
// the sizes add up to the dimension.
Status CutAlong(KernelContext& ctx, int input, int axis,
                absl::Span<const int64_t> sizes,
                const CutOptions& options = {});

}  // namespace millrace::ops

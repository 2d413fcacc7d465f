// The product of a dense layer, which whole and split layers have in common.
#pragma once

#include <cstdint>

#include "millrace/client/scope.h"

namespace millrace::train {

// x [..., n] * kernel [n, units]. Requires: the rank of x is known.
Output DenseProduct(const Scope& scope, const Output& x, const Output& kernel,
                    int64_t n, int64_t units);

}  // namespace millrace::train

// Compares tensors within the tolerance of a case.
#pragma once

#include <string>

#include "tests/cases/case.h"

namespace millrace::cases {

// Empty if `got` equals `want` within the options; else what differs first.
// Invalid tensors (dead, uninitialized) equal only each other. Handles and
// variants are compared by shape alone.
std::string Difference(const Case::Options& options, const Tensor& got,
                       const Tensor& want);

// The tolerance that holds for a type: (relative, absolute), zeros for exact.
std::pair<double, double> ToleranceFor(const Case::Options& options,
                                       DataType type);

}  // namespace millrace::cases

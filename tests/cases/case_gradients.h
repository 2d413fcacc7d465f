// The gradients of cases that say .Gradient().
#pragma once

#include <string>

#include "tests/cases/suite.h"

namespace millrace::cases {

// "" if the gradients are the slopes of the case's outputs; else what differs.
// Values are taken in double (complex128) where the ops have such kernels.
std::string CheckCaseGradients(const Case& c, const Suite& suite);

}  // namespace millrace::cases

// The table of all gradient functions, which the build generates from the
// *.grad.cc.
#pragma once

#include "absl/types/span.h"
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace {

absl::Span<const GradientDecl* const> AllGradients();

}  // namespace millrace

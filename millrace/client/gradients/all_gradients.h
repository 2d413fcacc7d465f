// The table of all gradients, written by the build from the *.grad.cc.
#pragma once

#include "absl/types/span.h"
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace {

absl::Span<const GradientDecl* const> AllGradients();

}  // namespace millrace

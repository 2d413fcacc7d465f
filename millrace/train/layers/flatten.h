// Flatten: puts each example into one row.
#pragma once

#include "millrace/client/scope.h"

namespace millrace::train {

// Maps x [batch, ...] to [batch, n], with n known if all sizes but the first
// are.
Output Flatten(const Scope& scope, const Output& x);

}  // namespace millrace::train

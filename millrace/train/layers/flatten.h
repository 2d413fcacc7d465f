// Flatten: what belongs to an example in one row.
#pragma once

#include "millrace/client/scope.h"

namespace millrace::train {

// x [batch, ...] gives [batch, n], with n known if all sizes but the first are.
Output Flatten(const Scope& scope, const Output& x);

}  // namespace millrace::train

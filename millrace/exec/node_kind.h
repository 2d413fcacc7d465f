// Determines which ops the executor handles specially.
#pragma once

#include "millrace/exec/plan.h"

namespace millrace {

// Returns the kind for the op's role.
NodeKind KindOf(const OpDef& op);

}  // namespace millrace

// Which ops the executor treats in a way of their own.
#pragma once

#include "millrace/exec/plan.h"

namespace millrace {

// By the op's role.
NodeKind KindOf(const OpDef& op);

}  // namespace millrace

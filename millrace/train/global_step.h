// The global step: a variable that counts the updates of all replicas.
#pragma once

#include <cstdint>

#include "millrace/client/session.h"
#include "millrace/client/variables/variables.h"

namespace millrace::train {

// Creates an int64 variable "global_step", initially 0, not trainable, in the
// collections of global variables and of the global step. A graph has one: a
// second one is INVALID_ARGUMENT, reported by the scope.
ops::Variable CreateGlobalStep(const Scope& scope,
                               const ops::VariableOptions& options = {});
// Returns null if the graph has none.
ops::Variable GetGlobalStep(const Scope& scope);
ops::Variable GetOrCreateGlobalStep(const Scope& scope);

// Returns its current value.
StatusOr<int64_t> ReadGlobalStep(Session& session,
                                 const ops::Variable& global_step);

}  // namespace millrace::train

// All functions that build ops: the generated wrappers, and some handwritten
// ones.
#pragma once

#include "millrace/client/ops.gen.h"

namespace millrace::ops {

// Builds a constant of the type of the C++ values, or of the given one.
Output Const(const Scope& scope, const Literal& value);
Output Const(const Scope& scope, const Literal& value, DataType type);

// Builds an op without outputs that runs after all `inputs`; if these are on
// several devices, one op per device comes first.
Operation Group(const Scope& scope, const std::vector<ControlInput>& inputs);
// Returns `output`, available after all `inputs` have run.
Output WithDependencies(const Scope& scope,
                        const std::vector<ControlInput>& inputs,
                        const Output& output);
// Returns the same values, available once all of them are there and the
// operations have run.
std::vector<Output> Tuple(const Scope& scope,
                          const std::vector<Output>& outputs,
                          const std::vector<ControlInput>& inputs = {});

}  // namespace millrace::ops

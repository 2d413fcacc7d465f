// All functions that build ops: the generated wrappers, and those that are more
// convenient written by hand.
#pragma once

#include "millrace/client/ops.gen.h"

namespace millrace::ops {

// A constant. Takes the type of the C++ values, or the one given.
Output Const(const Scope& scope, const Literal& value);
Output Const(const Scope& scope, const Literal& value, DataType type);

// An op without outputs that runs after all of these; if they are on several
// devices, one op a device first.
Operation Group(const Scope& scope, const std::vector<ControlInput>& inputs);
// `output` after all of these have run.
Output WithDependencies(const Scope& scope,
                        const std::vector<ControlInput>& inputs,
                        const Output& output);
// The same values once all of them are there and the operations have run.
std::vector<Output> Tuple(const Scope& scope,
                          const std::vector<Output>& outputs,
                          const std::vector<ControlInput>& inputs = {});

}  // namespace millrace::ops

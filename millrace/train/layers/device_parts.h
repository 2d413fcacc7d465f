// The parts of split layers: whether a layer can be cut over devices, and its
// variables in parts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "millrace/client/variables/variable_scope.h"

namespace millrace::train {

// Returns true if `size` of `what` ("units") can be cut into a part for each
// device. Otherwise the graph gets an error in the name of `layer`
// ("SplitDense"), INVALID_ARGUMENT.
bool CheckCut(const VariableScope& block, const char* layer, const char* what,
              int64_t size, const std::vector<std::string>& devices);

// Returns a variable of the layer that is cut along `axis`, with part i on
// devices[i]. Null after an error of the graph: also if a shared one is cut
// otherwise.
ops::PartitionedVariable VariableInParts(
    const VariableScope& block, absl::string_view name,
    const TensorShape& shape, int axis, const std::vector<std::string>& devices,
    GetVariableOptions options);

// Returns the scope of the ops of part i.
Scope ScopeOfPart(const Scope& scope, const std::vector<std::string>& devices,
                  size_t i);

}  // namespace millrace::train

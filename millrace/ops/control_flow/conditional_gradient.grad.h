// Gradients of functional conditionals: one whose branches go back through
// those of the first.
#pragma once

#include <vector>

#include "absl/functional/function_ref.h"
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/op_builder.h"

namespace millrace::ops {

// `op` is what chooses among `functions`, and StatelessOp where none of them
// has state; `name_branches` makes functions those that the new node calls.
Status ConditionalGradient(
    GradContext& g, const char* op, std::vector<NameAttrList> functions,
    absl::FunctionRef<void(const std::vector<NameAttrList>& functions,
                           OpBuilder& conditional)>
        name_branches);

}  // namespace millrace::ops

// Gradients of functional conditionals: a conditional whose branches are the
// gradients of the branches of the first one.
#pragma once

#include <vector>

#include "absl/functional/function_ref.h"
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/op_builder.h"

namespace millrace::ops {

// Adds the gradient of a conditional that chooses among `functions`. The new
// node's op is `op`, or "Stateless" + op if none of its functions has state;
// `name_branches` sets the functions that it calls.
Status ConditionalGradient(
    GradContext& g, const char* op, std::vector<NameAttrList> functions,
    absl::FunctionRef<void(const std::vector<NameAttrList>& functions,
                           OpBuilder& conditional)>
        name_branches);

}  // namespace millrace::ops

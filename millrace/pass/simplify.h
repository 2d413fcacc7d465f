// Simplify: algebraic simplification, which removes arithmetic that has no
// effect on the value.
#pragma once

#include "millrace/graph/graph.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/pass/run_signature.h"

namespace millrace {

// In a pruned, placed graph, readers of these nodes read the node's input
// instead:
//   Identity, StopGradient, PreventGradient; Cast to the same type; AddN of
//   one; x * 1, x / 1, x - 0, and x + 0 for integers or x + -0.0, by a scalar
//   constant; f(f(x)) for Neg, LogicalNot, Invert. The second of two equal
//   roundings, absolute values, signs or rectifiers is removed, too.
// Values stay the same to the bit (including the signs of zeros and NaN, but
// denormals, which kernels flush to zero, base/denormals.h, stay as they were),
// shapes do, too, and no node that could fail is removed. The removed nodes are
// pure (pass/pure_nodes.h), have no control inputs, and are on the device of
// the node that is read instead; targets and nodes with outgoing control edges
// stay. So do nodes that bind a reference variable (pass/reference_views.h): a
// product by one has the value at the time of its computation, the variable the
// value at the time when it is read. `kernels` may be null, as for
// ReferenceViews.
Status Simplify(const RunSignature& signature, const KernelTable* kernels,
                Graph* graph);

}  // namespace millrace

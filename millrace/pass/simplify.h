// Simplify: leaves out arithmetic that changes nothing.
#pragma once

#include "millrace/graph/graph.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/pass/run_signature.h"

namespace millrace {

// In a pruned, placed graph, readers of these nodes read the node's input:
//   Identity, StopGradient, PreventGradient; Cast to the same type; AddN of
//   one; x * 1, x / 1, x - 0, and x + 0 for integers or x + -0.0, by a scalar
//   constant; f(f(x)) for Neg, LogicalNot, Invert. The second of two equal
//   roundings, absolute values, signs or rectifiers goes, too.
// Values are the same to the bit (zeros' signs and NaN included; but numbers
// that kernels take for zero, base/denormals.h, stay as they were), shapes
// too, and no node that could fail is left out. The nodes that are left out
// are pure (pass/pure_nodes.h), wait for nothing but their inputs, and lie on
// the device of what is read instead; targets and what others wait for stay.
// So do those that bind a reference variable (pass/reference_views.h): x * 1 is
// the value when it is computed, x what the variable is when it is read.
// `kernels` may be null, as for ReferenceViews.
Status Simplify(const RunSignature& signature, const KernelTable* kernels,
                Graph* graph);

}  // namespace millrace

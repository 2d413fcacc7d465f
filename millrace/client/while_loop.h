// WhileLoop: a loop inside the graph, as tf.while_loop builds it.
//
//   // i = 0, x = start; while (i < n) { x = x * w; i = i + 1; }
//   const std::vector<Output> last = ops::WhileLoop(
//       scope, {0, start},
//       [&](const Scope& s, const std::vector<Output>& v) {
//         return ops::Less(s, v[0], n);
//       },
//       [&](const Scope& s, const std::vector<Output>& v) {
//         return std::vector<Output>{ops::AddV2(s, v[0], 1),
//                                    ops::Mul(s, v[1], w)};
//       });
#pragma once

#include <vector>

#include "absl/functional/function_ref.h"
#include "millrace/client/ops.h"

namespace millrace::ops {

struct WhileLoopOptions {
  // Number of iterations that may run concurrently, as far as their
  // dependencies allow.
  int64_t parallel_iterations = 10;
  // The shapes of the variables, as far as they are the same in every
  // iteration; none: their initial shapes.
  std::vector<PartialShape> shape_invariants;
};

// Returns the loop variables after the last iteration, as many as `inputs`;
// nulls after an error. `condition` and `body` are called once each, with a
// scope for what they build and the variables; the condition returns a scalar
// of type bool, the body the variables of the next iteration, of the same
// types.
//
// Both may use any other tensor or variable of the graph: a value from outside
// of the loop is the same in all of its iterations. An op that they build with
// another scope is inside too if it depends on a loop variable; otherwise it is
// outside, and runs once. Control dependencies of `scope` apply to the loop as
// a whole. Loops nest, and may be built over several devices.
//
// No session may run the graph while the loop is built.
std::vector<Output> WhileLoop(
    const Scope& scope, const InputList& inputs,
    absl::FunctionRef<Output(const Scope&, const std::vector<Output>&)>
        condition,
    absl::FunctionRef<std::vector<Output>(const Scope&,
                                          const std::vector<Output>&)>
        body,
    const WhileLoopOptions& options = {});

}  // namespace millrace::ops

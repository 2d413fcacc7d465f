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
  // So many iterations may run at once, as far as one does not need another.
  int64_t parallel_iterations = 10;
  // What is known of the shapes of the variables in every iteration; none: the
  // shapes with which they begin.
  std::vector<PartialShape> shape_invariants;
};

// Gives the loop variables after the last iteration, as many as `inputs`; nulls
// after an error. `condition` and `body` are called once, with a scope for what
// they build and the variables; the condition is a scalar of type bool, the
// body gives the variables of the next iteration, of the same types.
//
// Both may use any other tensor or variable of the graph: what they take from
// outside of the loop has one value in all of its iterations. What they build
// with another scope is inside too if it depends on a loop variable; otherwise
// it is outside, and runs once. Control dependencies of `scope` hold for the
// loop as a whole. Loops nest, and may be built over several devices.
//
// While it is built no session may run the graph.
std::vector<Output> WhileLoop(
    const Scope& scope, const InputList& inputs,
    absl::FunctionRef<Output(const Scope&, const std::vector<Output>&)>
        condition,
    absl::FunctionRef<std::vector<Output>(const Scope&,
                                          const std::vector<Output>&)>
        body,
    const WhileLoopOptions& options = {});

}  // namespace millrace::ops

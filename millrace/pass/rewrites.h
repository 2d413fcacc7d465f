// Rewrites: the graph rewriting that a session's configuration allows, and the
// passes over the graph of a run in their order.
#pragma once

#include <cstdint>

#include "millrace/graph/graph.h"
#include "millrace/graph/shape_refiner.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/pass/run_signature.h"
#include "millrace/protocol/config.h"

namespace millrace {

// The passes are constant folding, algebraic simplification, common
// subexpression elimination, dead-code elimination and fusion. By default all
// are on. Stock TensorFlow's switches in RewriterConfig: disable_meta_optimizer
// switches all passes off; constant_folding, arithmetic_optimization,
// common_subgraph_elimination, remapping and dependency_optimization switch one
// each; `optimizers` names the passes to run instead. In OptimizerOptions,
// opt_level L0 switches constant folding and common subexpression elimination
// off, unless do_constant_folding, do_common_subexpression_elimination or the
// toggle switch them on.
struct Rewrites {
  bool fold_constants = true;  // pass/fold_shapes.h, pass/fold_constants.h
  bool simplify = true;        // pass/simplify.h
  bool common_subexpression_elimination =
      true;                           // pass/subexpression_elimination.h
  bool dead_code_elimination = true;  // pass/dead_code_elimination.h
  bool fuse = true;                   // pass/fuse_nodes.h
  int64_t max_folded_bytes = 0;
  // Smaller graphs are left unchanged (stock TensorFlow's min_graph_nodes).
  int min_nodes = 4;

  static Rewrites None();
  static Rewrites Of(const GraphOptions& options);
};

// Rewrites the pruned, placed graph of a run. Fusion comes later, after the
// graph has been partitioned by device. `evaluate` may be null: then no
// constants are folded. `kernels` may be null: then any op may pass on its
// input.
Status RewriteForRun(const RunSignature& signature, const Rewrites& rewrites,
                     const ConstantEvaluator& evaluate,
                     const KernelTable* kernels, Graph* graph);

}  // namespace millrace

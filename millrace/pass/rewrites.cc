#include "millrace/pass/rewrites.h"

#include <algorithm>
#include <initializer_list>

#include "millrace/pass/dead_code_elimination.h"
#include "millrace/pass/fold_constants.h"
#include "millrace/pass/fold_shapes.h"
#include "millrace/pass/simplify.h"
#include "millrace/pass/subexpression_elimination.h"

namespace millrace {
namespace {

// Stock TensorFlow's default: its rewriter does not change smaller graphs.
constexpr int kDefaultMinNodes = 4;

}  // namespace

Rewrites Rewrites::None() {
  return {.fold_constants = false,
          .simplify = false,
          .common_subexpression_elimination = false,
          .dead_code_elimination = false,
          .fuse = false};
}

Rewrites Rewrites::Of(const GraphOptions& options) {
  const RewriterOptions& rewriter = options.rewrite_options;
  const OptimizerOptions& optimizer = options.optimizer_options;
  if (rewriter.disable_meta_optimizer) return None();
  const bool is_l0 = optimizer.opt_level == OptimizerOptions::Level::kL0;
  const auto& named = rewriter.optimizers;
  // `otherwise` applies if neither the names nor a toggle decide.
  const auto is_on = [&](RewriterToggle toggle,
                         std::initializer_list<absl::string_view> names,
                         bool otherwise = true) {
    if (!named.empty()) {
      return std::any_of(names.begin(), names.end(), [&](absl::string_view n) {
        return std::find(named.begin(), named.end(), n) != named.end();
      });
    }
    if (toggle == RewriterToggle::kDefault) return otherwise;
    return toggle != RewriterToggle::kOff;
  };
  Rewrites r;
  r.fold_constants =
      is_on(rewriter.constant_folding, {"constfold", "constant_folding"},
            optimizer.do_constant_folding || !is_l0);
  r.common_subexpression_elimination = is_on(
      rewriter.common_subgraph_elimination, {"common_subgraph_elimination"},
      optimizer.do_common_subexpression_elimination || !is_l0);
  r.simplify = is_on(rewriter.arithmetic_optimization,
                     {"arithmetic", "arithmetic_optimization"});
  r.fuse = is_on(rewriter.remapping, {"remap", "remapping"});
  r.dead_code_elimination = is_on(rewriter.dependency_optimization,
                                  {"dependency", "dependency_optimization"});
  r.max_folded_bytes = optimizer.max_folded_constant_bytes;
  r.min_nodes = rewriter.min_graph_nodes == 0 ? kDefaultMinNodes
                                              : rewriter.min_graph_nodes;
  return r;
}

Status RewriteForRun(const RunSignature& signature, const Rewrites& rewrites,
                     const ConstantEvaluator& evaluate,
                     const KernelTable* kernels, Graph* graph) {
  if (graph->num_nodes() < rewrites.min_nodes) return OkStatus();
  if (rewrites.fold_constants) {
    MR_RETURN_IF_ERROR(FoldShapes(signature, graph));
    MR_RETURN_IF_ERROR(
        FoldConstants(signature, evaluate, rewrites.max_folded_bytes, graph));
  }
  if (rewrites.simplify)
    MR_RETURN_IF_ERROR(Simplify(signature, kernels, graph));
  if (rewrites.common_subexpression_elimination)
    MR_RETURN_IF_ERROR(EliminateCommonSubexpressions(signature, graph));
  if (rewrites.dead_code_elimination)
    MR_RETURN_IF_ERROR(EliminateDeadCode(signature, graph));
  return OkStatus();
}

}  // namespace millrace

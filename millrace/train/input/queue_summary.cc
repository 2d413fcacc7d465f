#include "millrace/train/input/queue_summary.h"

#include "millrace/client/graph_keys.h"
#include "millrace/client/ops.h"

namespace millrace::train {

void AddScalarSummary(const Scope& scope, const std::string& name,
                      const Output& value) {
  const Scope block = scope.SubScope(name);
  const std::string tag = block.name().substr(0, block.name().size() - 1);
  const Output summary =
      ops::ScalarSummary(NamedAsBlock(block), Input(tag), value);
  if (summary) scope.graph().AddToCollection(graph_keys::kSummaries, summary);
}

void AddFullnessSummary(const Scope& scope, const Queue& queue,
                        const std::string& name, int64_t capacity,
                        int64_t min_after_dequeue) {
  if (!queue) return;
  Output size = queue.Size(scope);
  if (min_after_dequeue > 0) {
    const int32_t least = static_cast<int32_t>(min_after_dequeue);
    size =
        ops::Maximum(scope, 0, ops::Sub(scope.WithOpName("sub"), size, least));
  }
  const Output full = ops::Mul(
      scope.WithOpName("mul"), ops::Cast(scope, size, DataType::kFloat),
      1.0f / static_cast<float>(capacity - min_after_dequeue));
  AddScalarSummary(scope, name, full);
}

Output AsOutput(const Scope& scope, const Input& input, const char* name) {
  if (!input.is_literal()) return input.output();
  return ops::Const(scope.WithOpName(name), input.literal());
}

Scope NamedAsBlock(const Scope& block) {
  return block.WithOpName(block.name());
}

}  // namespace millrace::train

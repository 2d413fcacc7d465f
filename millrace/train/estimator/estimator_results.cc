#include "millrace/train/estimator/estimator_results.h"

#include "absl/strings/str_join.h"
#include "millrace/train/session_hook.h"

namespace millrace::train {

StatusOr<double> EvaluateResult::Number(const std::string& name) const {
  const auto found = metrics.find(name);
  if (found != metrics.end()) return ScalarValue(found->second);
  return NotFound(
      "no metric '", name, "', there are ",
      absl::StrJoin(metrics, ", ", [](std::string* out, const auto& entry) {
        absl::StrAppend(out, "'", entry.first, "'");
      }));
}

}  // namespace millrace::train

#include "millrace/train/estimator/estimator_spec.h"

#include "absl/strings/str_join.h"

namespace millrace::train {
namespace {

Output NamedOf(const ModelArguments& model, const NamedOutputs& all,
               const std::string& name, const char* kind) {
  const auto found = all.find(name);
  if (found != all.end()) return found->second;
  if (name.empty() && all.size() == 1) return all.begin()->second;
  const std::string names =
      absl::StrJoin(all, ", ", [](std::string* out, const auto& entry) {
        absl::StrAppend(out, "'", entry.first, "'");
      });
  model.scope.Fail(
      name.empty() ? InvalidArgument("the input has ", all.size(), " ", kind,
                                     "s, expected one, or the name of one of ",
                                     all.empty() ? "none" : names)
                   : InvalidArgument("the input has no ", kind, " '", name,
                                     "', expected one of ",
                                     all.empty() ? "none" : names),
      kind);
  return {};
}

}  // namespace

Output ModelArguments::Feature(const std::string& name) const {
  return NamedOf(*this, features, name, "feature");
}

Output ModelArguments::Label(const std::string& name) const {
  return NamedOf(*this, labels, name, "label");
}

}  // namespace millrace::train

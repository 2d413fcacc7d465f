#include "millrace/graph/op_registry.h"

#include "absl/strings/str_cat.h"
#include "millrace/base/edit_distance.h"

namespace millrace {

StatusOr<std::unique_ptr<const OpRegistry>> OpRegistry::Build(
    absl::Span<const OpDecl* const> decls) {
  auto registry = std::make_unique<OpRegistry>();
  registry->ops_.reserve(decls.size());
  registry->by_name_.reserve(decls.size());
  for (const OpDecl* decl : decls) {
    MR_ASSIGN_OR_RETURN(OpDef parsed, ParseOpDecl(*decl));
    auto op = std::make_unique<const OpDef>(std::move(parsed));
    if (!registry->by_name_.emplace(op->name, op.get()).second) {
      return InvalidArgument("Op declared twice: ", op->name);
    }
    registry->ops_.push_back(std::move(op));
  }
  return std::unique_ptr<const OpRegistry>(std::move(registry));
}

const OpDef* OpRegistry::Find(absl::string_view name) const {
  auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

StatusOr<const OpDef*> OpRegistry::Lookup(absl::string_view name) const {
  if (const OpDef* op = Find(name)) return op;
  std::vector<absl::string_view> names;
  names.reserve(ops_.size());
  for (const auto& op : ops_) names.push_back(op->name);
  const absl::string_view nearest = NearestWord(name, names);
  return NotFound("Op type not registered '", name,
                  "' in this binary, nor a function of that name",
                  nearest.empty()
                      ? ""
                      : absl::StrCat("; the nearest op is '", nearest, "'"));
}

}  // namespace millrace

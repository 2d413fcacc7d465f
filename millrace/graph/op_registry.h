// OpRegistry: schemas by name, a value that is built from a table.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "millrace/graph/op_def.h"

namespace millrace {

// Immutable once built, so any thread may read it.
class OpRegistry {
 public:
  // Returns INVALID_ARGUMENT for a duplicate name or a malformed declaration.
  static StatusOr<std::unique_ptr<const OpRegistry>> Build(
      absl::Span<const OpDecl* const> decls);

  // Returns null if there is no such op.
  const OpDef* Find(absl::string_view name) const;
  // Returns NOT_FOUND "Op type not registered 'X' in ..." with the nearest
  // name.
  StatusOr<const OpDef*> Lookup(absl::string_view name) const;
  // Returns the schemas in the order of the table.
  absl::Span<const std::unique_ptr<const OpDef>> ops() const { return ops_; }

 private:
  std::vector<std::unique_ptr<const OpDef>> ops_;
  absl::flat_hash_map<absl::string_view, const OpDef*> by_name_;
};

}  // namespace millrace

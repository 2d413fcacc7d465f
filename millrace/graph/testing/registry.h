// Registries of ops that a test declares.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "millrace/base/check.h"
#include "millrace/graph/op_registry.h"

namespace millrace {

// Returns a registry of declarations that live as long as the process; the
// registry does, too.
inline const OpRegistry& MakeTestRegistry(absl::Span<const OpDecl> decls) {
  std::vector<const OpDecl*> all;
  for (const OpDecl& decl : decls) all.push_back(&decl);
  auto built = OpRegistry::Build(all);
  MR_CHECK(built.ok(), built.status().ToString());
  return *built->release();
}

}  // namespace millrace

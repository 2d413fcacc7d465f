// Returns the table of all op declarations, which the build writes from the
// *.op.cc files.
#pragma once

#include "absl/types/span.h"
#include "millrace/graph/op_decl.h"

namespace millrace {

absl::Span<const OpDecl* const> AllOps();

}  // namespace millrace

// The table of all op declarations, written by the build from the *.op.cc.
#pragma once

#include "absl/types/span.h"
#include "millrace/graph/op_decl.h"

namespace millrace {

absl::Span<const OpDecl* const> AllOps();

}  // namespace millrace

// The table of all case declarations, written by the build from the
// *.cases.cc.
#pragma once

#include "absl/types/span.h"
#include "tests/cases/case.h"

namespace millrace {

absl::Span<const CasesDecl* const> AllCases();

}  // namespace millrace

// CaseText: a case in a line, for the messages of tests that fail.
#pragma once

#include <string>

#include "tests/cases/case.h"

namespace millrace::cases {

// Returns the op and the name of the case, and of the first node of this op the
// inputs' types and shapes and the attributes: "SoftClip, case 24 (double [5];
// limit=3)". What is behind the name has at most 120 characters.
std::string CaseText(const Case& c);

}  // namespace millrace::cases

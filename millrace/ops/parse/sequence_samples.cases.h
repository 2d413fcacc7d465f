// Sequence examples for cases of the ops that parse them.
#pragma once

#include <string>
#include <vector>

#include "millrace/ops/parse/messages.cases.h"

namespace millrace::cases {

// Returns serialized messages. The context has sparse s, dense d [2] and ragged
// r; the lists are sparse ls, dense ld [2] and ragged lr.
std::vector<std::string> SequenceSamples();
// Returns the attributes that ask for all of it except ragged features.
AttrMap SequenceTypes();

}  // namespace millrace::cases

// Sequence examples for cases of the ops that parse them.
#pragma once

#include <string>
#include <vector>

#include "millrace/ops/parse/messages.cases.h"

namespace millrace::cases {

// Serialized messages. Context: sparse s, dense d [2], ragged r. Lists: sparse
// ls, dense ld [2], ragged lr.
std::vector<std::string> SequenceSamples();
// The attributes that ask for all of it but for what is ragged.
AttrMap SequenceTypes();

}  // namespace millrace::cases

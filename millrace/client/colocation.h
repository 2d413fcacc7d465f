// Colocation groups: the nodes with which a node is to be placed.
#pragma once

#include <string>
#include <vector>

#include "millrace/client/output.h"

namespace millrace {

// Returns the groups ("loc:@name") of an op: those that it names, otherwise its
// own.
std::vector<std::string> ColocationGroups(const Operation& op);

}  // namespace millrace

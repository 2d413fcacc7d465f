// What a status shows of many waits.
#pragma once

#include <cstddef>
#include <vector>

#include "millrace/protocol/peer.h"

namespace millrace {

// At most `max` (> 0) of the waits of some kinds, each given with the oldest
// first. If there are more, the kinds share the room, so that the many steps of
// a server do not hide what one of them waits for; the last entry, of kind
// "more", then says how many are left out.
std::vector<ServerWait> TrimWaits(std::vector<std::vector<ServerWait>> kinds,
                                  size_t max);

}  // namespace millrace

// TrimWaits: the selection of waits that a status shows.
#pragma once

#include <cstddef>
#include <vector>

#include "millrace/protocol/peer.h"

namespace millrace {

// Returns at most `max` (> 0) of the waits of several kinds, each given with
// the oldest first. If there are more, the kinds share the room, so that the
// many steps of a server do not hide what one of them waits for; the last
// entry, of kind "more", then gives the number left out.
std::vector<ServerWait> TrimWaits(std::vector<std::vector<ServerWait>> kinds,
                                  size_t max);

}  // namespace millrace

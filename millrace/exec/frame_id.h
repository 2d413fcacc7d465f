// Frame ids of while loops; both ends of a transfer compute the same ids.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

namespace millrace {

// Returns MurmurHash64A with the seed 0xDECAFCAFFE.
uint64_t FrameNameHash(absl::string_view bytes);

// Returns the id of the frame that an Enter of `frame_name` opens from
// iteration `parent_iteration` of frame `parent`; the root frame has id 0. This
// is the rule of TensorFlow 2.x (1.15 hashes a text instead).
uint64_t ChildFrameId(uint64_t parent, int64_t parent_iteration,
                      absl::string_view frame_name);

}  // namespace millrace

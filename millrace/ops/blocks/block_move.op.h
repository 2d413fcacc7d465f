// The direction in which elements move between blocks of space and the batch or
// the channels.
#pragma once

namespace millrace::ops {

enum class BlockMove { kFromSpace, kToSpace };

}  // namespace millrace::ops

// Rest: whether work ahead of a consumer rests.
#pragma once

namespace millrace::ops {

// The state of work ahead can be saved while it rests: not at all, as soon as
// what is in progress is over, or now.
enum class Rest { kNone, kAsked, kNow };

}  // namespace millrace::ops

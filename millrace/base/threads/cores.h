// The core that a thread runs on.
#pragma once

namespace millrace {

// Returns the core of the calling thread, which may change at any moment.
int CurrentCore();

// Moves the calling thread to another core that it may use; the system may move
// it back at any time. Returns false if there is no other core or moving is
// forbidden. Takes about 10 us. Not for threads whose affinity is set elsewhere
// at the same time.
bool MoveToOtherCore();

}  // namespace millrace

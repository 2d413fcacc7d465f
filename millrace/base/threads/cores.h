// Which core a thread runs on.
#pragma once

namespace millrace {

// Of the calling thread; it may be another one a moment later.
int CurrentCore();

// Moves the calling thread to another core of those that it may use. The system
// may bring it back whenever it likes. False if there is no other, or it is
// forbidden. Takes some 10 us. Not for threads whose affinity others set at the
// same time.
bool LeaveCore();

}  // namespace millrace

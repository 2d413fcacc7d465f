// How streams work: each has a thread, which takes its work in order.
#pragma once

#include "tests/gpu/standin/objects.h"

namespace millrace::cuda::standin {

// Requires of all of these: State::mu is held; `lock` is that.
using StateLock = std::unique_lock<std::mutex>;

void StartStream(StreamObject* stream);
// Appends work; sets its number.
void Enqueue(StreamObject* stream, Work work);
// In lazy mode: lets a stream run its work up to a number, and what that waits
// for.
void Release(StreamObject* stream, uint64_t number);
// Waits until a stream has done its work up to a number. Returns the error of
// its context, kLaunchTimeout if the deadline for waits has passed.
Result WaitForStream(StateLock& lock, StreamObject* stream, uint64_t number);
// The same for all streams of a context, or of all (null).
void WaitForContext(StateLock& lock, const ContextObject* context);
// Whether the work is done; in lazy mode a query that says no makes some run
// later.
bool QueryStream(StreamObject* stream, uint64_t number);
// Ends the thread of a stream, once its work is done.
void EndStream(StateLock& lock, StreamObject* stream);

}  // namespace millrace::cuda::standin

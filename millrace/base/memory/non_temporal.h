// Non-temporal stores: results that are written past the caches.
//
// An ordinary store first fetches the cache line that it overwrites, and keeps
// it in the caches. For results larger than the caches both are useless: the
// line is evicted before anything reads it. Non-temporal stores save the fetch,
// a third of the traffic of z = f(x). They pay for whole lines only, so results
// are computed block by block in the first-level cache and copied from there.
#pragma once

#include <cstddef>

#include "absl/strings/string_view.h"

namespace millrace {

// Returns whether non-temporal stores pay for an op that reads and writes
// `touched_bytes` in all and whose result does not take over an input's memory.
// For an op that only waits for memory, they pay from three quarters of the
// last-level cache on, which other programs use, too; for an op that computes
// meanwhile, from one and a half times its size on, since data that is still
// cached arrives sooner.
enum class WaitsFor { kMemory, kComputing };
bool IsNonTemporalFaster(size_t touched_bytes, WaitsFor what);

// Parses a cache size as Linux writes it, such as "32768K"; returns 0 for
// anything else.
size_t CacheBytesOf(absl::string_view text);

// The largest block that is computed at a time and then copied; a larger one
// would be evicted from the core's own caches first.
inline constexpr size_t kMaxNonTemporalBytes = size_t{64} << 10;

// Copies with non-temporal stores, so the caches do not hold `to` afterwards.
// Other threads see the data after the next NonTemporalFence of this thread.
void NonTemporalCopy(const char* from, char* to, size_t bytes);
void NonTemporalFence();

}  // namespace millrace

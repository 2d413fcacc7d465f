// Results that are written past the caches.
//
// An ordinary store first fetches the line that it overwrites, and keeps it in
// the caches. For what is larger than these both are for nothing: the line is
// evicted before anybody reads it. Stores past the caches (non-temporal ones)
// save the fetch, a third of the traffic of z = f(x). They pay for whole lines
// only, so results are computed block by block in the first-level cache and
// copied from there.
#pragma once

#include <cstddef>

#include "absl/strings/string_view.h"

namespace millrace {

// Whether an op should: it reads and writes `touched_bytes` in all, and its
// result takes over no input's memory. Where it waits for memory alone, from
// three quarters of the last level on, which others use, too; where it computes
// meanwhile, from one and a half on: what is cached yet comes sooner then.
enum class WaitsFor { kMemory, kComputing };
bool PaysPastCaches(size_t touched_bytes, WaitsFor what);

// A size as Linux says it: "32768K"; 0 for anything else.
size_t CacheBytesOf(absl::string_view text);

// What is computed at a time and then copied has no more bytes: it would leave
// a core's own caches before.
inline constexpr size_t kMostBytesPastCaches = size_t{64} << 10;

// Copies; the caches have nothing of `to` afterwards. Other threads see it
// behind the next FencePastCaches of this thread.
void CopyPastCaches(const char* from, char* to, size_t bytes);
void FencePastCaches();

}  // namespace millrace

#include "millrace/base/memory/non_temporal.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace millrace {
namespace {

// Returns the size of the last-level cache, which other threads and programs
// use, too. The kernel reports the cache of this processor; sysconf has been
// seen to report ten times that on a machine with several such caches.
size_t LastLevelBytes() {
  char text[32] = {};
  if (FILE* const file =
          std::fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "re")) {
    const size_t n = std::fread(text, 1, sizeof(text) - 1, file);
    std::fclose(file);
    if (n > 0) {
      const size_t bytes = CacheBytesOf({text, n});
      if (bytes > 0) return bytes;
    }
  }
  const long size = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return size > 0 ? static_cast<size_t>(size) : size_t{32} << 20;
}

}  // namespace

size_t CacheBytesOf(absl::string_view text) {
  text = absl::StripTrailingAsciiWhitespace(text);
  int shift = 0;
  if (absl::ConsumeSuffix(&text, "K")) shift = 10;
  if (absl::ConsumeSuffix(&text, "M")) shift = 20;
  uint32_t number = 0;
  if (!absl::SimpleAtoi(text, &number)) return 0;
  return size_t{number} << shift;
}

bool IsNonTemporalFaster(size_t touched_bytes, WaitsFor what) {
  static const size_t bytes = LastLevelBytes();
  return touched_bytes >
         (what == WaitsFor::kMemory ? bytes / 4 * 3 : bytes / 2 * 3);
}

#ifdef __SSE2__

void NonTemporalCopy(const char* from, char* to, size_t bytes) {
  constexpr size_t kLine = 64;
  const size_t before = std::min(
      bytes, (kLine - reinterpret_cast<uintptr_t>(to) % kLine) % kLine);
  std::memcpy(to, from, before);
  size_t at = before;
  for (; at + kLine <= bytes; at += kLine) {
    const auto* x = reinterpret_cast<const __m128i*>(from + at);
    auto* z = reinterpret_cast<__m128i*>(to + at);
    const __m128i a = _mm_loadu_si128(x), b = _mm_loadu_si128(x + 1);
    const __m128i c = _mm_loadu_si128(x + 2), d = _mm_loadu_si128(x + 3);
    _mm_stream_si128(z, a);
    _mm_stream_si128(z + 1, b);
    _mm_stream_si128(z + 2, c);
    _mm_stream_si128(z + 3, d);
  }
  std::memcpy(to + at, from + at, bytes - at);
}

void NonTemporalFence() { _mm_sfence(); }

#else

void NonTemporalCopy(const char* from, char* to, size_t bytes) {
  std::memcpy(to, from, bytes);
}

void NonTemporalFence() {}

#endif

}  // namespace millrace

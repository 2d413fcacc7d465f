#include "millrace/base/past_caches.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace millrace {
namespace {

// Of the last level, which other threads and programs use, too.
size_t CacheBytes() {
  static const size_t bytes = [] {
    const long size = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return size > 0 ? static_cast<size_t>(size) : size_t{32} << 20;
  }();
  return bytes;
}

}  // namespace

bool PaysPastCaches(size_t touched_bytes) {
  return touched_bytes > CacheBytes() / 2;
}

#ifdef __SSE2__

void CopyPastCaches(const char* from, char* to, size_t bytes) {
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

void FencePastCaches() { _mm_sfence(); }

#else

void CopyPastCaches(const char* from, char* to, size_t bytes) {
  std::memcpy(to, from, bytes);
}

void FencePastCaches() {}

#endif

}  // namespace millrace

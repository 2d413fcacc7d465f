#include "millrace/base/denormals.h"

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace millrace {
namespace {

#if defined(__x86_64__)
constexpr unsigned kFlush = 0x8000 | 0x0040;  // results, inputs
unsigned Get() { return _mm_getcsr(); }
void Set(unsigned control) { _mm_setcsr(control); }
#elif defined(__aarch64__)
constexpr unsigned kFlush = 1u << 24;  // FZ: both
unsigned Get() {
  uint64_t control;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return static_cast<unsigned>(control);
}
void Set(unsigned control) {
  asm volatile("msr fpcr, %0" : : "r"(uint64_t{control}));
}
#else
constexpr unsigned kFlush = 0;
unsigned Get() { return 0; }
void Set(unsigned) {}
#endif

}  // namespace

ScopedFlushDenormals::ScopedFlushDenormals() : previous_(Get()) {
  Set(previous_ | kFlush);
}

// Restores the two bits only: the flags and the rounding mode are not ours.
ScopedFlushDenormals::~ScopedFlushDenormals() {
  Set((Get() & ~kFlush) | (previous_ & kFlush));
}

bool FlushesDenormals() { return kFlush != 0 && (Get() & kFlush) == kFlush; }

}  // namespace millrace

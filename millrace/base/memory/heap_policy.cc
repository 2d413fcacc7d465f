#include "millrace/base/memory/heap_policy.h"

#include <malloc.h>

#include <cstdlib>
#include <initializer_list>

namespace millrace {

void KeepMessageMemory() {
  for (const char* name :
       {"MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "GLIBC_TUNABLES"}) {
    if (std::getenv(name) != nullptr) return;
  }
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 16 << 20);
}

}  // namespace millrace

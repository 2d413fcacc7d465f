// Arena: the memory of a device, which is memory of the host that can be
// accessed only where it is allocated.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "tests/gpu/standin/card_counts.h"

namespace millrace::cuda::standin {

// Thread-safe. Blocks begin on a page, and an unmapped page follows each.
//
// In strict mode the blocks are accessible only while work runs (BeginWork).
// With the address sanitizer what follows a block is poisoned, as is what Mark
// says.
class Arena {
 public:
  Arena(int card, size_t limit_bytes, CardCounts* counts);

  // Returns 0 if the card has not as much.
  uintptr_t Allocate(size_t bytes);
  // Returns false if no block begins there.
  bool Free(uintptr_t address);
  // Whether all these bytes are of one block.
  bool Contains(uintptr_t address, size_t bytes);
  bool IsWithin(uintptr_t address) const {
    return begin_ <= address && address < end_;
  }
  size_t limit() const { return limit_; }
  size_t free_bytes();

  // Called before and after work that accesses the memory.
  void BeginWork();
  void EndWork();

  // Says that bytes of a block are in use from now on, or not in use. Their
  // content is lost. Requires: between BeginWork and EndWork.
  static void Mark(uintptr_t address, size_t bytes, bool in_use);

 private:
  // Changes what the process may do with all blocks. Requires: mu_ is held.
  void ProtectAll(bool accessible);

  const int card_;
  const size_t limit_;
  CardCounts& counts_;
  uintptr_t begin_ = 0, end_ = 0;
  std::mutex mu_;
  std::map<uintptr_t, size_t> blocks_;
  int running_ = 0;
  bool accessible_ = true;
};

// Whether an address is of any device's memory. May be called by a handler of
// signals.
bool IsDeviceAddress(const void* address);

}  // namespace millrace::cuda::standin

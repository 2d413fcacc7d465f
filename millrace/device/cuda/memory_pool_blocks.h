// The blocks and regions of a MemoryPool, for its own sources.
#pragma once

#include <cstdint>
#include <string>

#include "millrace/device/cuda/memory_pool.h"

namespace millrace::cuda {

class MemoryPool::Block {
 public:
  uint64_t address = 0;
  size_t size = 0;
  bool is_free = false;
  Region* region = nullptr;
  // The neighbours in the region; null at its ends.
  Block* before = nullptr;
  Block* behind = nullptr;
  std::string user;
};

struct MemoryPool::Region {
  uint64_t address = 0;
  size_t size = 0;
  int64_t in_use = 0;
  int64_t empty_since = 0;
  Block* first = nullptr;  // the same from beginning to end: it absorbs others
};

inline size_t RoundUpTo(size_t bytes, size_t step) {
  return (bytes + step - 1) / step * step;
}

// Returns "1.50GiB (1610612736 bytes)".
std::string PoolBytes(int64_t bytes);

}  // namespace millrace::cuda

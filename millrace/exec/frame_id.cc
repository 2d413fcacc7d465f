#include "millrace/exec/frame_id.h"

#include <cstring>

namespace millrace {

uint64_t FrameNameHash(absl::string_view bytes) {
  constexpr uint64_t kSeed = 0xDECAFCAFFE;
  constexpr uint64_t kMul = 0xc6a4a7935bd1e995;
  constexpr int kShift = 47;
  uint64_t h = kSeed ^ (bytes.size() * kMul);
  while (bytes.size() >= 8) {
    uint64_t k;
    std::memcpy(&k, bytes.data(), 8);
    bytes.remove_prefix(8);
    k *= kMul;
    k ^= k >> kShift;
    k *= kMul;
    h ^= k;
    h *= kMul;
  }
  if (!bytes.empty()) {
    uint64_t tail = 0;
    std::memcpy(&tail, bytes.data(), bytes.size());
    h ^= tail;
    h *= kMul;
  }
  h ^= h >> kShift;
  h *= kMul;
  h ^= h >> kShift;
  return h;
}

namespace {
uint64_t Combine(uint64_t a, uint64_t b) {
  return a ^ (b + 0x9e3779b97f4a7800 + (a << 10) + (a >> 4));
}
}  // namespace

uint64_t ChildFrameId(uint64_t parent, int64_t parent_iteration,
                      absl::string_view frame_name) {
  return Combine(parent, Combine(static_cast<uint64_t>(parent_iteration),
                                 FrameNameHash(frame_name)));
}

}  // namespace millrace

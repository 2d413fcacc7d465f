#include "millrace/cluster/fingerprint.h"

#include "millrace/base/hash/crc32c.h"
#include "millrace/exec/frame_id.h"

namespace millrace {

Fingerprint FingerprintOf(const ByteChunks& bytes) {
  uint64_t murmur = 0;
  uint32_t crc = 0;
  for (const Chunk& chunk : bytes.chunks()) {
    murmur = (murmur ^ FrameNameHash(chunk.bytes)) * 0x9E3779B97F4A7C15;
    crc = crc32c::Extend(crc, chunk.bytes.data(), chunk.bytes.size());
  }
  return {murmur,
          static_cast<uint64_t>(crc) << 32 | (bytes.size_bytes() & 0xffffffff)};
}

}  // namespace millrace

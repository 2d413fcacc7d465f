// Fingerprints: what came before is known again without being kept.
#pragma once

#include <cstdint>
#include <utility>

#include "millrace/tensor/chunks.h"

namespace millrace {

// 128 bits that stand for bytes, and for how they are cut into chunks. Two are
// equal by chance never, but made to be so easily: for what a client says of
// its own things only.
using Fingerprint = std::pair<uint64_t, uint64_t>;

// A millisecond for a megabyte or two.
Fingerprint FingerprintOf(const ByteChunks& bytes);

}  // namespace millrace

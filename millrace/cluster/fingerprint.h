// Fingerprints: recognize bytes seen before without storing them.
#pragma once

#include <cstdint>
#include <utility>

#include "millrace/tensor/chunks.h"

namespace millrace {

// 128 bits that stand for bytes and their division into chunks. Two do not
// collide by chance, but an attacker can easily make collisions: use them only
// to compare a client's data with data of the same client.
using Fingerprint = std::pair<uint64_t, uint64_t>;

// Takes about a millisecond for one or two megabytes.
Fingerprint FingerprintOf(const ByteChunks& bytes);

}  // namespace millrace

// Hash functions of strings whose values programs rely on: those of
// StringToHashBucket and its forms. The strong one is in base/hash/siphash.h.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

namespace millrace::ops {

// Returns MurmurHash64A (Austin Appleby, public domain) with TensorFlow's seed.
uint64_t MurmurHash(absl::string_view text);
// Returns FarmHash's Fingerprint64, which is the same on all machines (Geoff
// Pike and Jyrki Alakuijala, https://github.com/google/farmhash).
uint64_t FarmFingerprint(absl::string_view text);

}  // namespace millrace::ops

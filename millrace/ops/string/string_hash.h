// Hash functions of strings whose numbers programs rely on: those of
// StringToHashBucket and its forms. That of the strong one is
// base/hash/siphash.h.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

namespace millrace::ops {

// MurmurHash64A (Austin Appleby, public domain) with TensorFlow's seed.
uint64_t MurmurHash(absl::string_view text);
// FarmHash's Fingerprint64, the same on all machines (Geoff Pike and Jyrki
// Alakuijala, https://github.com/google/farmhash).
uint64_t FarmFingerprint(absl::string_view text);

}  // namespace millrace::ops

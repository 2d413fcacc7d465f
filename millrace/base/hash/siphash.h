// SipHash-2-4 (Jean-Philippe Aumasson and Daniel J. Bernstein, "SipHash: a fast
// short-input PRF", 2012): without the key, a hash cannot be told from a random
// number, however many other hashes are known.
#pragma once

#include <array>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace millrace {

using SipKey = std::array<uint64_t, 2>;

uint64_t SipHash(const SipKey& key, absl::string_view text);

}  // namespace millrace

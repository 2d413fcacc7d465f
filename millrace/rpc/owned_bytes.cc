#include "millrace/rpc/owned_bytes.h"

#include <algorithm>
#include <string>
#include <utility>

namespace millrace {

ByteChunks OwnedBytes(ByteChunks bytes) {
  const bool all_owned =
      std::all_of(bytes.chunks().begin(), bytes.chunks().end(),
                  [](const Chunk& c) { return c.owner != nullptr; });
  if (all_owned) return bytes;
  ByteChunks owned;
  for (const Chunk& c : bytes.chunks()) {
    if (c.owner) {
      owned.Append(c.owner, c.bytes);
    } else {
      owned.Append(std::string(c.bytes));
    }
  }
  return owned;
}

ByteChunks CopiedBytes(const ByteChunks& bytes) {
  ByteChunks copy;
  for (const Chunk& c : bytes.chunks()) copy.Append(std::string(c.bytes));
  return copy;
}

}  // namespace millrace

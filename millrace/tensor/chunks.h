// ByteChunks: the bytes of a message as a sequence of pieces with
// reference-counted owners, so that a large tensor passes from its buffer to
// the wire, and back, without a copy.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "millrace/base/memory/ref.h"
#include "millrace/tensor/buffer.h"

namespace millrace {

// Bytes inside `owner`. Without an owner the bytes are borrowed from an object
// that outlives the chunk, and a reader copies the bytes that it keeps.
struct Chunk {
  Ref<Buffer> owner;
  absl::string_view bytes;
};

// A sequence of chunks. Copying shares the owners. For one thread at a time.
class ByteChunks {
 public:
  ByteChunks() = default;
  // Takes ownership of `bytes`.
  explicit ByteChunks(std::string bytes) { Append(std::move(bytes)); }
  // `bytes` must outlive every use.
  static ByteChunks Borrow(absl::string_view bytes);

  void Append(Ref<Buffer> owner, absl::string_view bytes);
  void Append(std::string bytes);
  void Append(ByteChunks other);

  absl::Span<const Chunk> chunks() const { return chunks_; }
  size_t size_bytes() const { return size_bytes_; }
  bool empty() const { return size_bytes_ == 0; }
  // Returns all bytes in one string, which is a copy.
  std::string Flatten() const;

 private:
  std::vector<Chunk> chunks_;  // none of them empty
  size_t size_bytes_ = 0;
};

}  // namespace millrace

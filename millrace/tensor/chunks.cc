#include "millrace/tensor/chunks.h"

namespace millrace {
namespace {

// Owns a string; the bytes stay at their place in the string.
class StringBuffer : public Buffer {
 public:
  explicit StringBuffer(std::string s)
      : Buffer(nullptr, s.size()), s_(std::move(s)) {
    data_ = s_.data();
  }

 private:
  std::string s_;
};

}  // namespace

ByteChunks ByteChunks::Borrow(absl::string_view bytes) {
  ByteChunks c;
  c.Append(nullptr, bytes);
  return c;
}

void ByteChunks::Append(Ref<Buffer> owner, absl::string_view bytes) {
  if (bytes.empty()) return;
  size_bytes_ += bytes.size();
  chunks_.push_back({std::move(owner), bytes});
}

void ByteChunks::Append(std::string bytes) {
  if (bytes.empty()) return;
  Ref<Buffer> owner = MakeRef<StringBuffer>(std::move(bytes));
  const absl::string_view view(owner->data(), owner->size_bytes());
  Append(std::move(owner), view);
}

void ByteChunks::Append(ByteChunks other) {
  size_bytes_ += other.size_bytes_;
  if (chunks_.empty()) {
    chunks_ = std::move(other.chunks_);
    return;
  }
  for (Chunk& c : other.chunks_) chunks_.push_back(std::move(c));
}

std::string ByteChunks::Flatten() const {
  std::string s;
  s.reserve(size_bytes_);
  for (const Chunk& c : chunks_) s.append(c.bytes.data(), c.bytes.size());
  return s;
}

}  // namespace millrace

// Reads and writes protocol buffer fields by hand, over ByteChunks: tensors,
// graphs, and all messages of the protocol.
//
// Format: https://protobuf.dev/programming-guides/encoding. Generated code
// reads and writes the messages in files (checkpoint/).
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/tensor/chunks.h"

namespace millrace {

enum class WireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
};

// The number and type that precede a field's value.
struct FieldTag {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  bool Is(uint32_t n, WireType t) const { return number == n && type == t; }
};

// A forward cursor over bytes in chunks, which must outlive it. Copying is
// cheap and gives an independent cursor. Every method that returns bool returns
// false if the bytes are malformed or end too early; the cursor must not be
// used afterwards.
class ChunkReader {
 public:
  ChunkReader() = default;
  explicit ChunkReader(const ByteChunks& chunks)
      : chunks_(chunks.chunks()), rest_(chunks.size_bytes()) {
    Load();
  }
  explicit ChunkReader(absl::string_view bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool done() const { return at_ == end_ && rest_ == 0; }
  size_t remaining() const { return static_cast<size_t>(end_ - at_) + rest_; }

  bool ReadTag(FieldTag* tag);
  bool ReadVarint(uint64_t* v) {
    if (at_ != end_ && static_cast<uint8_t>(*at_) < 0x80) [[likely]] {
      *v = static_cast<uint8_t>(*at_);
      Advance(1);
      return true;
    }
    return ReadLongVarint(v);
  }
  template <class I>
  bool ReadInt(I* v) {  // truncates, as protocol buffers do
    uint64_t u;
    if (!ReadVarint(&u)) return false;
    *v = static_cast<I>(u);
    return true;
  }
  bool ReadBool(bool* v) {
    uint64_t u;
    if (!ReadVarint(&u)) return false;
    *v = u != 0;
    return true;
  }
  bool ReadFixed32(uint32_t* v) { return ReadPlain(v); }
  bool ReadFixed64(uint64_t* v) { return ReadPlain(v); }

  // Reads the value of a kBytes field: a cursor over just its bytes.
  bool ReadBytes(ChunkReader* value);
  // Reads the next `size` bytes: a cursor over just these.
  bool ReadPart(uint64_t size, ChunkReader* value);
  bool ReadString(std::string* value);
  // Skips a field whose tag was just read.
  bool SkipField(FieldTag tag);
  bool Skip(size_t n);
  // Copies the next `n` bytes. Requires: n <= remaining().
  void CopyTo(char* out, size_t n);
  std::string CopyRest() const;
  // Returns all remaining bytes by reference; borrowed bytes are copied.
  ByteChunks ShareRest() const;

  // Returns the remaining bytes if they lie in one chunk, otherwise an empty
  // view.
  absl::string_view ContiguousRest() const {
    return rest_ == 0 ? absl::string_view(at_, remaining())
                      : absl::string_view();
  }
  // Returns the owner of the next byte; null if it is borrowed.
  Buffer* owner() const {
    return next_ == 0 ? nullptr : chunks_[next_ - 1].owner.get();
  }

 private:
  void Load();  // steps to the next chunk while the current one is used up
  void Advance(size_t n) {
    at_ += n;
    if (at_ == end_) Load();
  }
  bool ReadLongVarint(uint64_t* v);
  template <class I>
  bool ReadPlain(I* v) {
    if (end_ - at_ >= static_cast<ptrdiff_t>(sizeof(I))) [[likely]] {
      std::memcpy(v, at_, sizeof(I));
      Advance(sizeof(I));
      return true;
    }
    if (remaining() < sizeof(I)) return false;
    CopyTo(reinterpret_cast<char*>(v), sizeof(I));
    return true;
  }

  const char* at_ = nullptr;
  const char* end_ = nullptr;  // of the current chunk, clipped to this cursor
  absl::Span<const Chunk> chunks_;
  size_t next_ = 0;  // index of the chunk after the current one
  size_t rest_ = 0;  // bytes of this cursor after `end_`
};

size_t VarintSize(uint64_t v);
// Returns the bytes that a kBytes field of `size` bytes takes with its tag and
// length. Requires: the field number is below 16.
inline size_t BytesFieldSize(size_t size) {
  return 1 + VarintSize(size) + size;
}

// Builds a message. Small pieces are gathered in one string; large ones are
// passed by reference. Requires: field numbers are below 2^29.
class ChunkWriter {
 public:
  // The smallest piece that gets a chunk of its own.
  static constexpr size_t kMinReferenceBytes = 1024;

  void Varint(uint64_t v);
  void Tag(uint32_t number, WireType type) {
    Varint(number << 3 | static_cast<uint32_t>(type));
  }
  void Raw(absl::string_view bytes) {
    text_.append(bytes.data(), bytes.size());
  }
  // Appends bytes by reference. `owner` keeps them alive, and they do not
  // change while it is shared.
  void Reference(Buffer* owner, absl::string_view bytes);

  // Write fields; zero and empty values are left out, as proto3 does.
  void VarintField(uint32_t number, uint64_t v) {
    if (v == 0) return;
    Tag(number, WireType::kVarint);
    Varint(v);
  }
  void Fixed64Field(uint32_t number, uint64_t v);
  void BytesField(uint32_t number, absl::string_view v) {
    if (!v.empty()) RequiredBytesField(number, v);
  }
  // Writes an element of a repeated field, even if it is empty.
  void RequiredBytesField(uint32_t number, absl::string_view v) {
    BytesHeader(number, v.size());
    Raw(v);
  }
  // Writes the tag and length of a field whose `size` bytes the caller writes
  // next.
  void BytesHeader(uint32_t number, size_t size) {
    Tag(number, WireType::kBytes);
    Varint(size);
  }

  // Writes a field whose value is everything that `nested` has gathered.
  void NestedField(uint32_t number, ChunkWriter nested);
  // Does the same without tag and length.
  void Splice(ChunkWriter nested);
  // Returns the number of bytes gathered so far.
  size_t size_bytes() const { return out_.size_bytes() + text_.size(); }
  // Appends bytes, sharing their owners; small pieces are copied.
  void Append(const ByteChunks& chunks);

  ByteChunks Finish() &&;

 private:
  std::string text_;  // gathered since the last reference
  ByteChunks out_;
};

}  // namespace millrace

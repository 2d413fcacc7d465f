// ByteStream: bytes in order, from a file as it is or decompressed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/files/file.h"
#include "millrace/base/status.h"

namespace millrace {

enum class FileCompression { kNone, kZlib, kGzip };

// "", "ZLIB" or "GZIP", as attributes and options spell it; INVALID_ARGUMENT
// for anything else.
StatusOr<FileCompression> ParseFileCompression(absl::string_view name);

// One thread.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // The bytes that are ready, at least one but at the end, where it is empty.
  // Valid until the next call of any method but Consume().
  virtual StatusOr<absl::string_view> Peek() = 0;
  // Passes over the first `n` of what Peek() gave.
  virtual void Consume(size_t n) = 0;
  // Back to the first byte.
  virtual Status Rewind() = 0;
  // Bytes consumed since the first one.
  virtual uint64_t position() const = 0;

  // By the calls above. Appends up to `n` bytes to `out`, fewer only at the
  // end; `out` grows with what is there, whatever `n` says. RESOURCE_EXHAUSTED
  // where memory has no room for it.
  Status Read(uint64_t n, std::string* out);
  // To `position`, at most to the end. Costs reading what lies between.
  virtual Status Seek(uint64_t position);
};

// RESOURCE_EXHAUSTED if a text of so many bytes, which takes up to twice its
// size while it grows and is copied then, is more than a quarter of what the
// memory budget has left; a compressed file may give thousands of times its own
// size. A MiB always has room.
Status CheckRoomToRead(size_t bytes);

// All of a file, if CheckRoomToRead has room for it.
StatusOr<std::string> ReadWholeFile(FileSystem* files, const std::string& path);

// `buffer_bytes` are read at a time. A file that was cut off while it was
// compressed ends where it was cut, as an uncompressed one would; bytes that
// are not compressed data give DATA_LOSS. `file` must outlive the stream.
std::unique_ptr<ByteStream> NewByteStream(
    const RandomAccessFile* file,
    FileCompression compression = FileCompression::kNone,
    size_t buffer_bytes = size_t{256} << 10);

}  // namespace millrace

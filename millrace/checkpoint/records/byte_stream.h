// ByteStream: a sequence of bytes, from a file directly or decompressed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/files/file.h"
#include "millrace/base/status.h"

namespace millrace {

enum class FileCompression { kNone, kZlib, kGzip };

// Parses "", "ZLIB" or "GZIP", as attributes and options spell it;
// INVALID_ARGUMENT for anything else.
StatusOr<FileCompression> ParseFileCompression(absl::string_view name);

// Not thread-safe.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // Returns the bytes that are available: at least one, or none at the end.
  // Valid until the next call of any method except Consume().
  virtual StatusOr<absl::string_view> Peek() = 0;
  // Skips the first `n` bytes of the result of Peek().
  virtual void Consume(size_t n) = 0;
  // Returns to the first byte.
  virtual Status Rewind() = 0;
  // Returns the number of bytes consumed since the first one.
  virtual uint64_t position() const = 0;

  // Reads through the methods above. Appends up to `n` bytes to `out`, fewer
  // only at the end; `out` grows with the available bytes, whatever `n` is.
  // Returns RESOURCE_EXHAUSTED if memory has no room for them.
  Status Read(uint64_t n, std::string* out);
  // Moves to `position`, at most to the end. Reads the bytes in between.
  virtual Status Seek(uint64_t position);
};

// Returns RESOURCE_EXHAUSTED if a text of this many bytes, which takes up to
// twice its size while it grows and is copied then, is more than a quarter of
// the rest of the memory budget; a compressed file may expand to thousands of
// times its size. A MiB always has room.
Status CheckRoomToRead(size_t bytes);

// Reads a whole file, if CheckRoomToRead has room for it.
StatusOr<std::string> ReadWholeFile(FileSystem* files, const std::string& path);

// Returns a stream that reads `buffer_bytes` at a time. A file that was
// truncated while it was compressed ends where it was cut, as an uncompressed
// one would; bytes that are not compressed data give DATA_LOSS. `file` must
// outlive the stream.
std::unique_ptr<ByteStream> NewByteStream(
    const RandomAccessFile* file,
    FileCompression compression = FileCompression::kNone,
    size_t buffer_bytes = size_t{256} << 10);

}  // namespace millrace

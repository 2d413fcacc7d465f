// RecordReader: reads files of records (TFRecord).
//
// A record is: uint64 length, masked CRC-32C of these 8 bytes, the bytes,
// masked CRC-32C of the bytes; little-endian.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "millrace/base/files/file.h"
#include "millrace/base/status.h"
#include "millrace/checkpoint/records/byte_stream.h"

namespace millrace {

inline constexpr uint64_t kRecordHeaderBytes = 12;
inline constexpr uint64_t kRecordFooterBytes = 4;

struct RecordReaderOptions {
  FileCompression compression = FileCompression::kNone;
  size_t buffer_bytes = size_t{256} << 10;
  // Whether a file that ends inside a record's header ends before that record;
  // otherwise that is DATA_LOSS.
  bool short_header_is_end = false;
};

// Not thread-safe. It does not search for the next good record after a bad one:
// after DATA_LOSS every call returns DATA_LOSS, until Seek().
class RecordReader {
 public:
  // `file` must outlive the reader.
  explicit RecordReader(const RandomAccessFile* file,
                        const RecordReaderOptions& options = {});

  // Reads the next record. Returns OUT_OF_RANGE at the end; DATA_LOSS
  // "truncated record at N" or "corrupted record at N". Never uses more memory
  // than twice the file's size, whatever a length says.
  Status Read(std::string* record);
  // Skips up to `n` records by their lengths (without checking the bytes) and
  // returns how many there were.
  StatusOr<uint64_t> Skip(uint64_t n);
  // Moves to the beginning of a record, as returned by offset().
  Status Seek(uint64_t offset);
  // Returns the offset of the next record, in the decompressed bytes.
  uint64_t offset() const { return offset_; }

 private:
  Status ReadHeader(uint64_t* length);
  // Returns DATA_LOSS, and returns it again from then on.
  Status Bad(absl::string_view what);
  Status Truncated();
  Status Corrupted();

  const bool short_header_is_end_;
  std::unique_ptr<ByteStream> stream_;
  uint64_t offset_ = 0;
  Status bad_;
  std::string small_;  // header or footer
};

}  // namespace millrace

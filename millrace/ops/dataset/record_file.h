// RecordFile: reads the records of one file in order.
#pragma once

#include <memory>
#include <string>

#include "millrace/base/files/file.h"
#include "millrace/checkpoint/records/byte_stream.h"

namespace millrace::ops {

// For one thread, which may block.
class RecordFile {
 public:
  virtual ~RecordFile() = default;
  // Called once, before anything else.
  virtual Status Open(FileSystem* files, const std::string& path) = 0;
  // Returns false at the end of the file.
  virtual StatusOr<bool> Next(std::string* record) = 0;
};

struct RecordFileOptions {
  enum class Kind { kLines, kRecords, kFixedLength };
  Kind kind = Kind::kLines;
  FileCompression compression = FileCompression::kNone;
  int64_t header_bytes = 0, record_bytes = 0, footer_bytes = 0;  // fixed length
  uint64_t begin = 0;  // of the first record, kRecords without compression
};

std::unique_ptr<RecordFile> MakeRecordFile(const RecordFileOptions& options);

}  // namespace millrace::ops

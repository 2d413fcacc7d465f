// RecordWriter: writes files of records (TFRecord; record_reader.h defines the
// format).
#pragma once

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/files/file.h"
#include "millrace/base/status.h"
#include "millrace/checkpoint/records/byte_stream.h"

namespace millrace {

struct RecordWriterOptions {
  FileCompression compression = FileCompression::kNone;
  int compression_level = -1;  // 0 to 9; -1: zlib's default
  size_t buffer_bytes = size_t{64} << 10;
};

// Not thread-safe. The first error is sticky. Without Close() a compressed file
// lacks its end.
class RecordWriter {
 public:
  // Appends to `file`, which must outlive the writer. Several writers may write
  // one file one after the other.
  explicit RecordWriter(WritableFile* file,
                        const RecordWriterOptions& options = {});
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  Status Write(absl::string_view record);
  // Makes everything written so far readable from the file.
  Status Flush();
  // Ends the compressed stream and flushes; the file stays open.
  Status Close();

 private:
  struct Deflater;
  Status Append(absl::string_view data);
  // `mode` is one of zlib's flush values.
  Status Deflate(absl::string_view data, int mode);
  Status FlushBuffer();

  WritableFile* const file_;
  const RecordWriterOptions options_;
  Status status_;
  std::unique_ptr<Deflater> deflater_;
  std::string buffer_;  // the next bytes of the file
};

}  // namespace millrace

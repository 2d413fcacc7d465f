// ByteSink: appends a sequence of bytes to a file, directly or compressed.
#pragma once

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/files/file.h"
#include "millrace/base/status.h"
#include "millrace/checkpoint/records/byte_stream.h"

namespace millrace {

struct ByteSinkOptions {
  FileCompression compression = FileCompression::kNone;
  int compression_level = -1;  // 0 to 9; -1: zlib's default
  size_t buffer_bytes = size_t{64} << 10;
};

// Not thread-safe. The first error is sticky. Without Close() a compressed file
// lacks its end.
class ByteSink {
 public:
  // `file` must outlive the sink.
  explicit ByteSink(WritableFile* file, const ByteSinkOptions& options = {});
  ~ByteSink();
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;

  Status Write(absl::string_view data);
  // Makes everything written so far readable from the file.
  Status Flush();
  // Ends the compressed stream and flushes; the file stays open. Nothing may be
  // written afterwards.
  Status Close();

 private:
  struct Deflater;
  Status Append(absl::string_view data);
  // `mode` is one of zlib's flush values.
  Status Deflate(absl::string_view data, int mode);
  Status FlushBuffer();

  WritableFile* const file_;
  const size_t buffer_bytes_;
  Status status_;
  std::unique_ptr<Deflater> deflater_;
  std::string buffer_;  // the next bytes of the file
};

}  // namespace millrace

// RecordWriter: writes files of records (TFRecord; record_reader.h defines the
// format).
#pragma once

#include "absl/strings/string_view.h"
#include "millrace/base/files/file.h"
#include "millrace/base/status.h"
#include "millrace/checkpoint/records/byte_sink.h"

namespace millrace {

using RecordWriterOptions = ByteSinkOptions;

// Not thread-safe. The first error is sticky. Without Close() a compressed file
// lacks its end.
class RecordWriter {
 public:
  // Appends to `file`, which must outlive the writer. Several writers may write
  // one file one after the other.
  explicit RecordWriter(WritableFile* file,
                        const RecordWriterOptions& options = {});
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  Status Write(absl::string_view record);
  // Makes everything written so far readable from the file.
  Status Flush();
  // Ends the compressed stream and flushes; the file stays open.
  Status Close();

 private:
  Status CheckOpen() const;

  ByteSink sink_;
  bool closed_ = false;
};

}  // namespace millrace

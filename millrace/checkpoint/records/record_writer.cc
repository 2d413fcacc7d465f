#include "millrace/checkpoint/records/record_writer.h"

#include "millrace/base/coding.h"
#include "millrace/base/hash/crc32c.h"

namespace millrace {

RecordWriter::RecordWriter(WritableFile* file,
                           const RecordWriterOptions& options)
    : sink_(file, options) {}

Status RecordWriter::Write(absl::string_view record) {
  MR_RETURN_IF_ERROR(CheckOpen());
  char header[12];
  StoreFixed<uint64_t>(header, record.size());
  StoreFixed<uint32_t>(header + 8, crc32c::Mask(crc32c::Value(header, 8)));
  char footer[4];
  StoreFixed<uint32_t>(footer, crc32c::Mask(crc32c::Value(record)));
  MR_RETURN_IF_ERROR(sink_.Write({header, 12}));
  MR_RETURN_IF_ERROR(sink_.Write(record));
  return sink_.Write({footer, 4});
}

Status RecordWriter::Flush() {
  MR_RETURN_IF_ERROR(CheckOpen());
  return sink_.Flush();
}

Status RecordWriter::Close() {
  MR_RETURN_IF_ERROR(CheckOpen());
  MR_RETURN_IF_ERROR(sink_.Close());
  closed_ = true;
  return OkStatus();
}

Status RecordWriter::CheckOpen() const {
  if (!closed_) return OkStatus();
  return FailedPrecondition("The record writer is closed");
}

}  // namespace millrace

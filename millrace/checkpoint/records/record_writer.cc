#include "millrace/checkpoint/records/record_writer.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "millrace/base/coding.h"
#include "millrace/base/hash/crc32c.h"

namespace millrace {

struct RecordWriter::Deflater {
  z_stream z = {};
  ~Deflater() { deflateEnd(&z); }
};

RecordWriter::RecordWriter(WritableFile* file,
                           const RecordWriterOptions& options)
    : file_(file), options_(options) {
  if (options.compression == FileCompression::kNone) return;
  deflater_ = std::make_unique<Deflater>();
  const bool gzip = options.compression == FileCompression::kGzip;
  constexpr int kMemoryLevel = 8;  // zlib's default
  if (deflateInit2(&deflater_->z, options.compression_level, Z_DEFLATED,
                   gzip ? MAX_WBITS + 16 : MAX_WBITS, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    status_ =
        InvalidArgument("zlib cannot compress at level ",
                        options.compression_level, "; it must be -1 to 9");
  }
}

RecordWriter::~RecordWriter() = default;

Status RecordWriter::Write(absl::string_view record) {
  MR_RETURN_IF_ERROR(status_);
  char header[12];
  StoreFixed<uint64_t>(header, record.size());
  StoreFixed<uint32_t>(header + 8, crc32c::Mask(crc32c::Value(header, 8)));
  char footer[4];
  StoreFixed<uint32_t>(footer, crc32c::Mask(crc32c::Value(record)));
  for (absl::string_view part :
       {absl::string_view(header, 12), record, absl::string_view(footer, 4)}) {
    Status status = deflater_ ? Deflate(part, Z_NO_FLUSH) : Append(part);
    if (!status.ok()) return status_ = status;
  }
  return OkStatus();
}

Status RecordWriter::Append(absl::string_view data) {
  if (buffer_.size() + data.size() > options_.buffer_bytes)
    MR_RETURN_IF_ERROR(FlushBuffer());
  if (data.size() >= options_.buffer_bytes) return file_->Append(data);
  buffer_.append(data.data(), data.size());
  return OkStatus();
}

Status RecordWriter::Deflate(absl::string_view data, int mode) {
  z_stream& z = deflater_->z;
  char out[4096];
  do {
    const size_t take =
        std::min<size_t>(data.size(), std::numeric_limits<uInt>::max());
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
    z.avail_in = static_cast<uInt>(take);
    data.remove_prefix(take);
    do {
      z.next_out = reinterpret_cast<Bytef*>(out);
      z.avail_out = sizeof(out);
      const int result = deflate(&z, data.empty() ? mode : Z_NO_FLUSH);
      if (result == Z_STREAM_ERROR) return Internal("zlib is in a bad state");
      MR_RETURN_IF_ERROR(Append({out, sizeof(out) - z.avail_out}));
    } while (z.avail_out == 0);
  } while (!data.empty());
  return OkStatus();
}

Status RecordWriter::FlushBuffer() {
  if (buffer_.empty()) return OkStatus();
  Status status = file_->Append(buffer_);
  buffer_.clear();
  return status;
}

Status RecordWriter::Flush() {
  MR_RETURN_IF_ERROR(status_);
  if (deflater_) MR_RETURN_IF_ERROR(status_ = Deflate({}, Z_SYNC_FLUSH));
  MR_RETURN_IF_ERROR(status_ = FlushBuffer());
  return status_ = file_->Flush();
}

Status RecordWriter::Close() {
  MR_RETURN_IF_ERROR(status_);
  if (deflater_) MR_RETURN_IF_ERROR(status_ = Deflate({}, Z_FINISH));
  MR_RETURN_IF_ERROR(status_ = FlushBuffer());
  MR_RETURN_IF_ERROR(status_ = file_->Flush());
  status_ = FailedPrecondition("The record writer is closed");
  return OkStatus();
}

}  // namespace millrace

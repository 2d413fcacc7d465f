#include "millrace/checkpoint/records/byte_sink.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

namespace millrace {

struct ByteSink::Deflater {
  z_stream z = {};
  ~Deflater() { deflateEnd(&z); }
};

ByteSink::ByteSink(WritableFile* file, const ByteSinkOptions& options)
    : file_(file), buffer_bytes_(options.buffer_bytes) {
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

ByteSink::~ByteSink() = default;

Status ByteSink::Write(absl::string_view data) {
  MR_RETURN_IF_ERROR(status_);
  return status_ = deflater_ ? Deflate(data, Z_NO_FLUSH) : Append(data);
}

Status ByteSink::Append(absl::string_view data) {
  if (buffer_.size() + data.size() > buffer_bytes_)
    MR_RETURN_IF_ERROR(FlushBuffer());
  if (data.size() >= buffer_bytes_) return file_->Append(data);
  buffer_.append(data.data(), data.size());
  return OkStatus();
}

Status ByteSink::Deflate(absl::string_view data, int mode) {
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

Status ByteSink::FlushBuffer() {
  if (buffer_.empty()) return OkStatus();
  Status status = file_->Append(buffer_);
  buffer_.clear();
  return status;
}

Status ByteSink::Flush() {
  MR_RETURN_IF_ERROR(status_);
  if (deflater_) MR_RETURN_IF_ERROR(status_ = Deflate({}, Z_SYNC_FLUSH));
  MR_RETURN_IF_ERROR(status_ = FlushBuffer());
  return status_ = file_->Flush();
}

Status ByteSink::Close() {
  MR_RETURN_IF_ERROR(status_);
  if (deflater_) MR_RETURN_IF_ERROR(status_ = Deflate({}, Z_FINISH));
  MR_RETURN_IF_ERROR(status_ = FlushBuffer());
  return status_ = file_->Flush();
}

}  // namespace millrace

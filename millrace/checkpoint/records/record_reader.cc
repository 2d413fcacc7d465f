#include "millrace/checkpoint/records/record_reader.h"

#include "millrace/base/coding.h"
#include "millrace/base/hash/crc32c.h"

namespace millrace {

RecordReader::RecordReader(const RandomAccessFile* file,
                           const RecordReaderOptions& options)
    : short_header_is_end_(options.short_header_is_end),
      stream_(NewByteStream(file, options.compression, options.buffer_bytes)) {}

Status RecordReader::Bad(absl::string_view what) {
  return bad_ =
             DataLoss(what, " record at ", offset_,
                      offset_ == 0 ? " (Is this even a TFRecord file?)" : "");
}

Status RecordReader::Truncated() { return Bad("truncated"); }

Status RecordReader::Corrupted() { return Bad("corrupted"); }

Status RecordReader::ReadHeader(uint64_t* length) {
  MR_RETURN_IF_ERROR(bad_);
  small_.clear();
  MR_RETURN_IF_ERROR(stream_->Read(kRecordHeaderBytes, &small_));
  if (small_.empty()) return OutOfRange("eof");
  if (small_.size() < kRecordHeaderBytes) {
    if (short_header_is_end_) return OutOfRange("eof");
    return Truncated();
  }
  *length = LoadFixed<uint64_t>(small_.data());
  if (crc32c::Mask(crc32c::Value(small_.data(), 8)) !=
      LoadFixed<uint32_t>(small_.data() + 8)) {
    return Corrupted();
  }
  return OkStatus();
}

Status RecordReader::Read(std::string* record) {
  uint64_t length = 0;
  MR_RETURN_IF_ERROR(ReadHeader(&length));
  record->clear();
  MR_RETURN_IF_ERROR(stream_->Read(length, record));
  small_.clear();
  if (record->size() == length)
    MR_RETURN_IF_ERROR(stream_->Read(kRecordFooterBytes, &small_));
  if (small_.size() < kRecordFooterBytes) {
    record->clear();
    return Truncated();
  }
  if (crc32c::Mask(crc32c::Value(*record)) !=
      LoadFixed<uint32_t>(small_.data())) {
    record->clear();
    return Corrupted();
  }
  offset_ += kRecordHeaderBytes + length + kRecordFooterBytes;
  return OkStatus();
}

StatusOr<uint64_t> RecordReader::Skip(uint64_t n) {
  for (uint64_t skipped = 0; skipped < n; ++skipped) {
    uint64_t length = 0;
    const Status status = ReadHeader(&length);
    if (status.code() == StatusCode::kOutOfRange) return skipped;
    MR_RETURN_IF_ERROR(status);
    uint64_t end = 0;
    if (__builtin_add_overflow(
            offset_ + kRecordHeaderBytes + kRecordFooterBytes, length, &end)) {
      return Corrupted();
    }
    MR_RETURN_IF_ERROR(stream_->Seek(end));
    if (stream_->position() != end) return Truncated();
    offset_ = end;
  }
  return n;
}

Status RecordReader::Seek(uint64_t offset) {
  MR_RETURN_IF_ERROR(stream_->Seek(offset));
  bad_ = OkStatus();
  offset_ = stream_->position();
  return OkStatus();
}

}  // namespace millrace

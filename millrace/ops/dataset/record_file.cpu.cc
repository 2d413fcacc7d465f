#include "millrace/ops/dataset/record_file.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/checkpoint/records/record_reader.h"

namespace millrace::ops {
namespace {

constexpr int64_t kUncountedLineBytes = 1 << 20;

class LineFile final : public RecordFile {
 public:
  explicit LineFile(FileCompression compression) : compression_(compression) {}
  Status Open(FileSystem* files, const std::string& path) override {
    MR_ASSIGN_OR_RETURN(file_, files->NewRandomAccessFile(path));
    stream_ = NewByteStream(file_.get(), compression_);
    return OkStatus();
  }
  // The last line needs no line feed. Carriage returns are removed from lines
  // wherever they are, as in stock.
  StatusOr<bool> Next(std::string* record) override {
    record->clear();
    bool ended = false;
    for (;;) {
      MR_ASSIGN_OR_RETURN(const absl::string_view bytes, stream_->Peek());
      if (bytes.empty()) break;
      const size_t at = bytes.find('\n');
      const absl::string_view part = bytes.substr(0, at);
      if (absl::StrContains(part, '\r')) {
        absl::StrAppend(record, absl::StrReplaceAll(part, {{"\r", ""}}));
      } else {
        record->append(part.data(), part.size());
      }
      // A line may be as long as its file, and one of a compressed file far
      // longer.
      if (const auto size = static_cast<int64_t>(record->size());
          size > kUncountedLineBytes && size > charge_.bytes()) {
        MR_RETURN_IF_ERROR(charge_.Set(2 * size, "a line of a file"));
      }
      stream_->Consume(at == absl::string_view::npos ? bytes.size() : at + 1);
      ended = at != absl::string_view::npos;
      if (ended) break;
    }
    return ended || !record->empty();
  }

 private:
  const FileCompression compression_;
  std::unique_ptr<RandomAccessFile> file_;
  std::unique_ptr<ByteStream> stream_;
  MemoryCharge charge_;
};

class TfRecordFile final : public RecordFile {
 public:
  explicit TfRecordFile(const RecordFileOptions& o) : o_(o) {}
  Status Open(FileSystem* files, const std::string& path) override {
    MR_ASSIGN_OR_RETURN(file_, files->NewRandomAccessFile(path));
    reader_ = std::make_unique<RecordReader>(
        file_.get(), RecordReaderOptions{.compression = o_.compression,
                                         .short_header_is_end = true});
    return o_.begin == 0 ? OkStatus() : reader_->Seek(o_.begin);
  }
  StatusOr<bool> Next(std::string* record) override {
    const Status status = reader_->Read(record);
    if (status.code() == StatusCode::kOutOfRange) return false;
    MR_RETURN_IF_ERROR(status);
    return true;
  }

 private:
  const RecordFileOptions o_;
  std::unique_ptr<RandomAccessFile> file_;
  std::unique_ptr<RecordReader> reader_;
};

class FixedLengthFile final : public RecordFile {
 public:
  explicit FixedLengthFile(const RecordFileOptions& o) : o_(o) {}

  Status Open(FileSystem* files, const std::string& path) override {
    MR_ASSIGN_OR_RETURN(file_, files->NewRandomAccessFile(path));
    stream_ = NewByteStream(file_.get(), o_.compression);
    if (o_.compression == FileCompression::kNone) {
      MR_ASSIGN_OR_RETURN(const uint64_t size, file_->Size());
      const auto around =
          static_cast<uint64_t>(o_.header_bytes + o_.footer_bytes);
      const uint64_t body = size < around ? 0 : size - around;
      if (size < around || body % static_cast<uint64_t>(o_.record_bytes) != 0) {
        return InvalidArgument(
            "Excluding the header (", o_.header_bytes, " bytes) and footer (",
            o_.footer_bytes, " bytes), input file \"", path,
            "\" has body length ",
            static_cast<int64_t>(size) - o_.header_bytes - o_.footer_bytes,
            " bytes, which is not an exact multiple of the record length (",
            o_.record_bytes, " bytes).");
      }
    }
    return stream_->Seek(static_cast<uint64_t>(o_.header_bytes));
  }

  // Reads a record; at least the footer must follow it.
  StatusOr<bool> Next(std::string* record) override {
    const auto wanted =
        static_cast<uint64_t>(o_.record_bytes + o_.footer_bytes);
    if (ahead_.size() < wanted) {
      MR_RETURN_IF_ERROR(stream_->Read(wanted - ahead_.size(), &ahead_));
    }
    if (ahead_.size() < wanted) return false;
    record->assign(ahead_, 0, static_cast<size_t>(o_.record_bytes));
    ahead_.erase(0, static_cast<size_t>(o_.record_bytes));
    return true;
  }

 private:
  const RecordFileOptions o_;
  std::unique_ptr<RandomAccessFile> file_;
  std::unique_ptr<ByteStream> stream_;
  std::string ahead_;  // read, but not passed over yet
};

}  // namespace

std::unique_ptr<RecordFile> MakeRecordFile(const RecordFileOptions& options) {
  switch (options.kind) {
    case RecordFileOptions::Kind::kLines:
      return std::make_unique<LineFile>(options.compression);
    case RecordFileOptions::Kind::kRecords:
      return std::make_unique<TfRecordFile>(options);
    case RecordFileOptions::Kind::kFixedLength:
      return std::make_unique<FixedLengthFile>(options);
  }
  return nullptr;
}

}  // namespace millrace::ops

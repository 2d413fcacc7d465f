#include "millrace/ops/reader/work_reader.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "millrace/checkpoint/records/byte_stream.h"
#include "millrace/checkpoint/records/lmdb_reader.h"
#include "millrace/checkpoint/records/record_reader.h"
#include "millrace/graph/attr/int32_attr.h"
#include "millrace/ops/reader/text_line.h"

namespace millrace::ops {
namespace {

class TextLineReader final : public WorkReader {
 public:
  explicit TextLineReader(int64_t skip) : skip_(skip) {}
  Status Open(FileSystem* files, const std::string& work) override {
    Close();
    MR_ASSIGN_OR_RETURN(file_, files->NewRandomAccessFile(work));
    stream_ = NewByteStream(file_.get());
    work_ = work;
    std::string line;
    for (; line_number_ < skip_; ++line_number_) {
      MR_ASSIGN_OR_RETURN(const bool got, ReadTextLine(*stream_, &line));
      if (!got) break;
    }
    return OkStatus();
  }
  StatusOr<Outcome> Next(std::string* key, std::string* value) override {
    MR_ASSIGN_OR_RETURN(const bool got, ReadTextLine(*stream_, value));
    if (!got) return Outcome{.at_end = true};
    *key = absl::StrCat(work_, ":", ++line_number_);
    return Outcome{.produced = true};
  }
  void Close() override {
    stream_ = nullptr;
    file_ = nullptr;
    line_number_ = 0;
  }

 private:
  const int64_t skip_;
  std::unique_ptr<RandomAccessFile> file_;
  std::unique_ptr<ByteStream> stream_;
  std::string work_;
  int64_t line_number_ = 0;
};

class FixedLengthReader final : public WorkReader {
 public:
  FixedLengthReader(const WorkReaderOptions& o, FileCompression compression)
      : o_(o),
        hop_(static_cast<uint64_t>(o.hop_bytes > 0 ? o.hop_bytes
                                                   : o.record_bytes)),
        compression_(compression) {}
  Status Open(FileSystem* files, const std::string& work) override {
    Close();
    MR_ASSIGN_OR_RETURN(file_, files->NewRandomAccessFile(work));
    stream_ = NewByteStream(file_.get(), compression_);
    work_ = work;
    MR_RETURN_IF_ERROR(stream_->Seek(static_cast<uint64_t>(o_.header_bytes)));
    if (stream_->position() != static_cast<uint64_t>(o_.header_bytes)) {
      return OutOfRange("reached end of file");
    }
    return OkStatus();
  }
  // Reads a record and skips the footer, whose bytes are not interpreted; both
  // must be complete. A truncated last record is ignored.
  StatusOr<Outcome> Next(std::string* key, std::string* value) override {
    if (record_number_ != 0) {
      if (hop_ <= ahead_.size()) {
        ahead_.erase(0, hop_);
      } else {
        const uint64_t to = stream_->position() + hop_ - ahead_.size();
        ahead_.clear();
        MR_RETURN_IF_ERROR(stream_->Seek(to));
        if (stream_->position() != to) return Outcome{.at_end = true};
      }
    }
    const auto wanted =
        static_cast<uint64_t>(o_.record_bytes + o_.footer_bytes);
    if (ahead_.size() < wanted) {
      MR_RETURN_IF_ERROR(stream_->Read(wanted - ahead_.size(), &ahead_));
      if (ahead_.size() < wanted) return Outcome{.at_end = true};
    }
    value->assign(ahead_, 0, static_cast<size_t>(o_.record_bytes));
    *key = absl::StrCat(work_, ":", record_number_++);
    return Outcome{.produced = true};
  }
  void Close() override {
    stream_ = nullptr;
    file_ = nullptr;
    record_number_ = 0;
    ahead_.clear();
  }

 private:
  const WorkReaderOptions o_;
  const uint64_t hop_;
  const FileCompression compression_;
  std::unique_ptr<RandomAccessFile> file_;
  std::unique_ptr<ByteStream> stream_;
  std::string work_;
  std::string ahead_;  // read, but not passed over yet
  int64_t record_number_ = 0;
};

class TfRecordReader final : public WorkReader {
 public:
  explicit TfRecordReader(FileCompression compression)
      : compression_(compression) {}
  Status Open(FileSystem* files, const std::string& work) override {
    Close();
    MR_ASSIGN_OR_RETURN(file_, files->NewRandomAccessFile(work));
    reader_ = std::make_unique<RecordReader>(
        file_.get(), RecordReaderOptions{.compression = compression_,
                                         .short_header_is_end = true});
    work_ = work;
    return OkStatus();
  }
  StatusOr<Outcome> Next(std::string* key, std::string* value) override {
    *key = absl::StrCat(work_, ":", reader_->offset());
    const Status status = reader_->Read(value);
    if (status.code() == StatusCode::kOutOfRange) {
      return Outcome{.at_end = true};
    }
    if (!status.ok())
      return Annotate(status, absl::StrCat("; in file ", work_));
    return Outcome{.produced = true};
  }
  void Close() override {
    reader_ = nullptr;
    file_ = nullptr;
  }

 private:
  const FileCompression compression_;
  std::unique_ptr<RandomAccessFile> file_;
  std::unique_ptr<RecordReader> reader_;
  std::string work_;
};

class LmdbWorkReader final : public WorkReader {
 public:
  Status Open(FileSystem* files, const std::string& work) override {
    Close();
    MR_ASSIGN_OR_RETURN(reader_, LmdbReader::Open(files, work));
    return OkStatus();
  }
  StatusOr<Outcome> Next(std::string* key, std::string* value) override {
    MR_ASSIGN_OR_RETURN(const bool found, reader_->Next(key, value));
    return found ? Outcome{.produced = true} : Outcome{.at_end = true};
  }
  void Close() override { reader_ = nullptr; }

 private:
  std::unique_ptr<LmdbReader> reader_;
};

class WholeFileReader final : public WorkReader {
 public:
  Status Open(FileSystem* files, const std::string& work) override {
    files_ = files;
    work_ = work;
    return OkStatus();
  }
  StatusOr<Outcome> Next(std::string* key, std::string* value) override {
    *key = work_;
    MR_ASSIGN_OR_RETURN(*value, ReadWholeFile(files_, work_));
    return Outcome{.produced = true, .at_end = true};
  }
  bool has_simple_state() const override { return true; }

 private:
  FileSystem* files_ = nullptr;
  std::string work_;
};

class IdentityReader final : public WorkReader {
 public:
  Status Open(FileSystem*, const std::string& work) override {
    work_ = work;
    return OkStatus();
  }
  StatusOr<Outcome> Next(std::string* key, std::string* value) override {
    *key = *value = work_;
    return Outcome{.produced = true, .at_end = true};
  }
  bool has_simple_state() const override { return true; }

 private:
  std::string work_;
};

Status ReadTextLineAttrs(const KernelInit& init, WorkReaderOptions* o) {
  MR_ASSIGN_OR_RETURN(o->skip_header_lines,
                      init.Attr<int64_t>("skip_header_lines"));
  MR_RETURN_IF_ERROR(CheckInt32Attr("skip_header_lines", o->skip_header_lines));
  if (o->skip_header_lines < 0) {
    return InvalidArgument("skip_header_lines must be >= 0 not ",
                           o->skip_header_lines);
  }
  return OkStatus();
}

Status ReadFixedLengthAttrs(const KernelInit& init, WorkReaderOptions* o) {
  const struct {
    const char* name;
    int64_t* value;
    int64_t least;
  } sizes[] = {{"header_bytes", &o->header_bytes, 0},
               {"record_bytes", &o->record_bytes, 1},
               {"footer_bytes", &o->footer_bytes, 0},
               {"hop_bytes", &o->hop_bytes, 0}};
  for (const auto& size : sizes) {
    MR_ASSIGN_OR_RETURN(*size.value, init.Attr<int64_t>(size.name));
    if (*size.value < size.least ||
        *size.value > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument(size.name, " must be >= 0 not ", *size.value);
    }
  }
  if (init.HasAttr("encoding")) {
    MR_ASSIGN_OR_RETURN(o->compression, init.Attr<std::string>("encoding"));
  }
  return OkStatus();
}

}  // namespace

StatusOr<WorkReaderOptions> WorkReaderOptions::From(const KernelInit& init,
                                                    Kind kind) {
  WorkReaderOptions o;
  o.kind = kind;
  switch (kind) {
    case Kind::kTextLine:
      MR_RETURN_IF_ERROR(ReadTextLineAttrs(init, &o));
      break;
    case Kind::kFixedLength:
      MR_RETURN_IF_ERROR(ReadFixedLengthAttrs(init, &o));
      break;
    case Kind::kRecord: {
      MR_ASSIGN_OR_RETURN(o.compression,
                          init.Attr<std::string>("compression_type"));
      break;
    }
    case Kind::kLmdb:
    case Kind::kWholeFile:
    case Kind::kIdentity:
      break;
  }
  MR_RETURN_IF_ERROR(ParseFileCompression(o.compression).status());
  return o;
}

absl::string_view ReaderName(WorkReaderOptions::Kind kind) {
  using Kind = WorkReaderOptions::Kind;
  switch (kind) {
    case Kind::kTextLine:
      return "TextLineReader";
    case Kind::kFixedLength:
      return "FixedLengthRecordReader";
    case Kind::kRecord:
      return "TFRecordReader";
    case Kind::kLmdb:
      return "LMDBReader";
    case Kind::kWholeFile:
      return "WholeFileReader";
    case Kind::kIdentity:
      break;
  }
  return "IdentityReader";
}

std::unique_ptr<WorkReader> MakeWorkReader(const WorkReaderOptions& o) {
  using Kind = WorkReaderOptions::Kind;
  const StatusOr<FileCompression> compression =
      ParseFileCompression(o.compression);
  const FileCompression form =
      compression.ok() ? *compression : FileCompression::kNone;
  switch (o.kind) {
    case Kind::kTextLine:
      return std::make_unique<TextLineReader>(o.skip_header_lines);
    case Kind::kFixedLength:
      return std::make_unique<FixedLengthReader>(o, form);
    case Kind::kRecord:
      return std::make_unique<TfRecordReader>(form);
    case Kind::kLmdb:
      return std::make_unique<LmdbWorkReader>();
    case Kind::kWholeFile:
      return std::make_unique<WholeFileReader>();
    case Kind::kIdentity:
      break;
  }
  return std::make_unique<IdentityReader>();
}

}  // namespace millrace::ops

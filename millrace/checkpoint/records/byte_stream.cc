#include "millrace/checkpoint/records/byte_stream.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "millrace/base/memory/memory_budget.h"

namespace millrace {
namespace {

class PlainStream final : public ByteStream {
 public:
  PlainStream(const RandomAccessFile* file, size_t buffer_bytes)
      : file_(file), buffer_(buffer_bytes) {}

  StatusOr<absl::string_view> Peek() override {
    if (begin_ == end_) {
      begin_ = end_ = 0;
      MR_ASSIGN_OR_RETURN(
          end_, file_->Read(position_, buffer_.size(), buffer_.data()));
    }
    return absl::string_view(buffer_.data() + begin_, end_ - begin_);
  }
  void Consume(size_t n) override {
    begin_ += n;
    position_ += n;
  }
  Status Rewind() override { return Seek(0); }
  uint64_t position() const override { return position_; }
  Status Seek(uint64_t position) override {
    if (position >= position_ && position - position_ <= end_ - begin_) {
      Consume(static_cast<size_t>(position - position_));
      return OkStatus();
    }
    MR_ASSIGN_OR_RETURN(const uint64_t size, file_->Size());
    begin_ = end_ = 0;
    position_ = std::min(position, size);
    return OkStatus();
  }

 private:
  const RandomAccessFile* const file_;
  std::vector<char> buffer_;
  size_t begin_ = 0;  // of the unconsumed part of the buffer
  size_t end_ = 0;
  uint64_t position_ = 0;
};

class InflateStream final : public ByteStream {
 public:
  InflateStream(const RandomAccessFile* file, FileCompression compression,
                size_t buffer_bytes)
      : input_(file, buffer_bytes),
        window_bits_(compression == FileCompression::kGzip ? MAX_WBITS + 16
                                                           : MAX_WBITS),
        buffer_(buffer_bytes) {}
  ~InflateStream() override {
    if (started_) inflateEnd(&z_);
  }

  StatusOr<absl::string_view> Peek() override {
    if (begin_ == end_) MR_RETURN_IF_ERROR(Fill());
    return absl::string_view(buffer_.data() + begin_, end_ - begin_);
  }
  void Consume(size_t n) override {
    begin_ += n;
    position_ += n;
  }
  Status Rewind() override {
    if (started_) inflateEnd(&z_);
    started_ = false;
    begin_ = end_ = 0;
    position_ = 0;
    return input_.Rewind();
  }
  uint64_t position() const override { return position_; }

 private:
  Status Start() {
    z_ = z_stream();
    if (inflateInit2(&z_, window_bits_) != Z_OK) {
      return ResourceExhausted("zlib has no memory to decompress a file");
    }
    started_ = true;
    return OkStatus();
  }

  // Decompresses until there is a byte or the input ends.
  Status Fill() {
    begin_ = end_ = 0;
    while (end_ == 0) {
      MR_ASSIGN_OR_RETURN(const absl::string_view in, input_.Peek());
      if (in.empty()) return OkStatus();
      if (!started_) MR_RETURN_IF_ERROR(Start());
      z_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
      z_.avail_in = static_cast<uInt>(in.size());
      z_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      z_.avail_out = static_cast<uInt>(buffer_.size());
      const int result = inflate(&z_, Z_NO_FLUSH);
      input_.Consume(in.size() - z_.avail_in);
      end_ = buffer_.size() - z_.avail_out;
      if (result == Z_STREAM_END) {
        // Another one may follow: gzip files may be concatenated.
        inflateEnd(&z_);
        started_ = false;
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        return DataLoss(
            "Cannot decompress file: ", z_.msg ? z_.msg : "bad data",
            "; at byte ", input_.position(), " of it");
      }
    }
    return OkStatus();
  }

  PlainStream input_;
  const int window_bits_;
  z_stream z_ = {};
  bool started_ = false;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t position_ = 0;
};

}  // namespace

StatusOr<FileCompression> ParseFileCompression(absl::string_view name) {
  if (name.empty()) return FileCompression::kNone;
  if (name == "ZLIB") return FileCompression::kZlib;
  if (name == "GZIP") return FileCompression::kGzip;
  return InvalidArgument("Unsupported compression_type: ", name,
                         "; it must be \"\", \"ZLIB\" or \"GZIP\"");
}

Status CheckRoomToRead(size_t bytes) {
  constexpr size_t kAlwaysBytes = 1 << 20;
  if (bytes <= kAlwaysBytes) return OkStatus();
  const MemoryBudget& budget = MemoryBudget::Process();
  const int64_t most = std::max(int64_t{0}, budget.limit() - budget.used()) / 4;
  if (static_cast<int64_t>(bytes) <= most) return OkStatus();
  return ResourceExhausted("a file, record or line of more than ", most,
                           " bytes, a quarter of what memory has left");
}

StatusOr<std::string> ReadWholeFile(FileSystem* files,
                                    const std::string& path) {
  MR_ASSIGN_OR_RETURN(const std::unique_ptr<RandomAccessFile> file,
                      files->NewRandomAccessFile(path));
  const auto stream = NewByteStream(file.get());
  std::string text;
  MR_RETURN_IF_ERROR(stream->Read(std::numeric_limits<uint64_t>::max(), &text));
  return text;
}

Status ByteStream::Read(uint64_t n, std::string* out) {
  while (n > 0) {
    MR_ASSIGN_OR_RETURN(const absl::string_view ready, Peek());
    if (ready.empty()) return OkStatus();
    const size_t take =
        static_cast<size_t>(std::min<uint64_t>(n, ready.size()));
    MR_RETURN_IF_ERROR(CheckRoomToRead(out->size() + take));
    out->append(ready.data(), take);
    Consume(take);
    n -= take;
  }
  return OkStatus();
}

Status ByteStream::Seek(uint64_t to) {
  if (to < position()) MR_RETURN_IF_ERROR(Rewind());
  while (position() < to) {
    MR_ASSIGN_OR_RETURN(const absl::string_view ready, Peek());
    if (ready.empty()) return OkStatus();
    Consume(
        static_cast<size_t>(std::min<uint64_t>(to - position(), ready.size())));
  }
  return OkStatus();
}

std::unique_ptr<ByteStream> NewByteStream(const RandomAccessFile* file,
                                          FileCompression compression,
                                          size_t buffer_bytes) {
  if (compression == FileCompression::kNone) {
    return std::make_unique<PlainStream>(file, buffer_bytes);
  }
  return std::make_unique<InflateStream>(file, compression, buffer_bytes);
}

}  // namespace millrace

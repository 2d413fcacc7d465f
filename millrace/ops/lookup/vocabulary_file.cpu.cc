#include "millrace/ops/lookup/vocabulary_file.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "millrace/checkpoint/records/byte_stream.h"
#include "millrace/ops/reader/text_line.h"

namespace millrace::ops {
namespace {

constexpr int64_t kLinesAtOnce = 256;
constexpr size_t kBytesAtOnce = 1 << 20;
constexpr size_t kShownBytes = 256;  // of a line, in messages

// Returns how many fields `line` has, at most `enough`.
int64_t CountFields(absl::string_view line, char delimiter, int64_t enough) {
  int64_t fields = 1;
  for (size_t at = line.find(delimiter);
       at != absl::string_view::npos && fields < enough;
       at = line.find(delimiter, at + 1)) {
    ++fields;
  }
  return fields;
}

absl::string_view Field(absl::string_view line, char delimiter, int64_t index) {
  for (; index > 0; --index) line.remove_prefix(line.find(delimiter) + 1);
  return line.substr(0, line.find(delimiter));
}

bool IsWholeNumber(DataType t) {
  return t == DataType::kInt32 || t == DataType::kInt64;
}

Status CheckIndex(const char* what, int64_t index, DataType type) {
  if (index == VocabularyFormat::kLineNumber && type != DataType::kInt64) {
    return InvalidArgument(what, " index for line number requires table ",
                           what[0] == 'K' ? "key" : "value",
                           " dtype of int64, got ", DataTypeName(type));
  }
  if (index == VocabularyFormat::kWholeLine && !IsWholeNumber(type) &&
      type != DataType::kString) {
    return InvalidArgument(
        what,
        what[0] == 'K'
            ? " index for whole line requires string or integer table key, got "
            : " index for whole line requires table value dtype of integer or "
              "string, got ",
        DataTypeName(type));
  }
  return OkStatus();
}

// Reads the keys and values of one line after the other.
class VocabularyReader {
 public:
  VocabularyReader(const VocabularyFormat& format, const std::string& file)
      : format_(format), file_name_(file) {}

  Status Open(FileSystem* files) {
    MR_ASSIGN_OR_RETURN(file_, files->NewRandomAccessFile(file_name_));
    stream_ = NewByteStream(file_.get());
    return OkStatus();
  }

  size_t line_bytes() const { return line_.size(); }
  // Sets element `i` of both. Returns OUT_OF_RANGE at the end.
  Status Next(int64_t i, Tensor* keys, Tensor* values) {
    MR_ASSIGN_OR_RETURN(const bool got, ReadTextLine(*stream_, &line_));
    const int64_t wanted = format_.lines;
    if (!got) {
      if (wanted != -1 && number_ != wanted) {
        return InvalidArgument("Invalid vocab_size in ", file_name_,
                               ": expected ", wanted, " but got ", number_);
      }
      return OutOfRange("Read less bytes than requested in ", file_name_,
                        ", which has no further line");
    }
    if (wanted != -1 && number_ >= wanted) {
      return OutOfRange("Finished reading ", wanted, " of lines from ",
                        file_name_);
    }
    if (line_.empty()) {
      return InvalidArgument("Invalid content in ", file_name_,
                             ": empty line found at position ",
                             stream_->position(), ".");
    }
    const int64_t last = std::max(format_.key_index, format_.value_index);
    if (last >= 0) {
      const int64_t fields = CountFields(line_, format_.delimiter, last + 1);
      if (fields <= last) {
        return InvalidArgument(
            "Invalid number of columns in ", file_name_, " line ", number_,
            " (", line_.substr(0, kShownBytes), ") : expected at least ",
            last + 1, " got ", fields);
      }
    }
    MR_RETURN_IF_ERROR(Set(format_.key_index, i, keys));
    MR_RETURN_IF_ERROR(Set(format_.value_index, i, values));
    ++number_;
    return OkStatus();
  }

 private:
  template <class T>
  Status SetNumber(bool parsed, absl::string_view text, T number, int64_t i,
                   Tensor* t) const {
    if (!parsed) {
      return InvalidArgument("Field ", text.substr(0, kShownBytes), " in line ",
                             number_, " is not a valid ",
                             DataTypeName(t->dtype()), ".");
    }
    return Store(number, i, t);
  }
  template <class T>
  static Status Store(T number, int64_t i, Tensor* t) {
    t->mutable_flat<T>()[static_cast<size_t>(i)] = number;
    return OkStatus();
  }

  Status Set(int64_t index, int64_t i, Tensor* t) const {
    if (index == VocabularyFormat::kLineNumber) {
      return Store(static_cast<int64_t>(static_cast<uint64_t>(number_) +
                                        static_cast<uint64_t>(format_.offset)),
                   i, t);
    }
    const absl::string_view text = index == VocabularyFormat::kWholeLine
                                       ? absl::string_view(line_)
                                       : Field(line_, format_.delimiter, index);
    // Stock parses numbers up to a zero byte.
    const absl::string_view digits = text.substr(0, text.find('\0'));
    switch (t->dtype()) {
      case DataType::kInt32: {
        int32_t v = 0;
        const bool parsed = absl::SimpleAtoi(digits, &v);
        const auto sum =
            static_cast<uint32_t>(v) + static_cast<uint32_t>(format_.offset);
        return SetNumber(parsed, text, static_cast<int32_t>(sum), i, t);
      }
      case DataType::kInt64: {
        int64_t v = 0;
        const bool parsed = absl::SimpleAtoi(digits, &v);
        return SetNumber(parsed, text, v, i, t);
      }
      case DataType::kFloat: {
        float v = 0;
        const bool parsed = absl::SimpleAtof(digits, &v);
        return SetNumber(parsed, text, v, i, t);
      }
      case DataType::kDouble: {
        double v = 0;
        const bool parsed = absl::SimpleAtod(digits, &v);
        return SetNumber(parsed, text, v, i, t);
      }
      case DataType::kString:
        t->mutable_flat<StringElement>()[static_cast<size_t>(i)].Assign(text);
        return OkStatus();
      default:
        return InvalidArgument("Data type ", DataTypeName(t->dtype()),
                               " not supported.");
    }
  }

  const VocabularyFormat& format_;
  const std::string& file_name_;
  std::unique_ptr<RandomAccessFile> file_;
  std::unique_ptr<ByteStream> stream_;
  std::string line_;
  int64_t number_ = 0;
};

}  // namespace

StatusOr<VocabularyFormat> VocabularyFormat::From(const KernelInit& init) {
  VocabularyFormat f;
  MR_ASSIGN_OR_RETURN(f.key_index, init.Attr<int64_t>("key_index"));
  MR_ASSIGN_OR_RETURN(f.value_index, init.Attr<int64_t>("value_index"));
  MR_ASSIGN_OR_RETURN(f.lines, init.Attr<int64_t>("vocab_size"));
  MR_ASSIGN_OR_RETURN(f.offset, init.Attr<int64_t>("offset"));
  MR_ASSIGN_OR_RETURN(const std::string delimiter,
                      init.Attr<std::string>("delimiter"));
  if (delimiter.size() != 1) {
    return InvalidArgument("delimiter should be only 1 char");
  }
  f.delimiter = delimiter[0];
  return f;
}

Status InitializeFromFile(KernelContext& ctx, const VocabularyFormat& format,
                          const std::string& file, StaticTable& table) {
  const LookupTable::Signature& s = table.signature();
  MR_RETURN_IF_ERROR(CheckIndex("Key", format.key_index, s.key_dtype));
  MR_RETURN_IF_ERROR(CheckIndex("Value", format.value_index, s.value_dtype));
  VocabularyReader reader(format, file);
  MR_RETURN_IF_ERROR(reader.Open(ctx.step().files));
  Tensor keys, values;
  const auto allocate = [&]() -> Status {
    const TensorShape shape({kLinesAtOnce});
    MR_ASSIGN_OR_RETURN(keys, ctx.AllocateTemp(s.key_dtype, shape));
    MR_ASSIGN_OR_RETURN(values, ctx.AllocateTemp(s.value_dtype, shape));
    return OkStatus();
  };
  MR_RETURN_IF_ERROR(allocate());
  // A file without a first line is an error, also for a table that is full.
  MR_RETURN_IF_ERROR(reader.Next(0, &keys, &values));
  if (table.is_initialized()) return OkStatus();
  std::unique_ptr<HashRows> rows = table.NewRows();
  int64_t lines = 1, n = 1;
  size_t bytes = reader.line_bytes();
  for (Status next; next.ok(); n = 0, bytes = 0) {
    for (; n < kLinesAtOnce && bytes < kBytesAtOnce; ++n, ++lines) {
      next = reader.Next(n, &keys, &values);
      if (!next.ok()) break;
      bytes += reader.line_bytes();
    }
    // The lines read before an error are added first.
    MR_RETURN_IF_ERROR(rows->PutOnce(ctx.allocator(), keys, values, 0, n));
    MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    // Long lines are not kept a second time.
    if (bytes >= kBytesAtOnce) MR_RETURN_IF_ERROR(allocate());
    if (!next.ok() && next.code() != StatusCode::kOutOfRange) return next;
  }
  const Status filled = table.Initialize(std::move(rows), lines);
  // Another step initialized the table first.
  return filled.code() == StatusCode::kFailedPrecondition ? OkStatus() : filled;
}

}  // namespace millrace::ops

#include "millrace/ops/dataset_files/csv_file.h"

#include <algorithm>

#include "millrace/ops/io/number_text.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

constexpr int64_t kUncountedFieldBytes = 1 << 20;

}  // namespace

CsvFile::CsvFile(const CsvFormat& format, Allocator* allocator)
    : format_(format), allocator_(allocator) {
  for (const char c : {format.delimiter, '\n', '\r'}) {
    stops_[static_cast<uint8_t>(c)] = true;
  }
  stops_[static_cast<uint8_t>('"')] |= format.quotes;
}

Status CsvFile::Open(FileSystem* files, const std::string& path) {
  MR_ASSIGN_OR_RETURN(file_, files->NewRandomAccessFile(path));
  stream_ = NewByteStream(file_.get(), format_.compression);
  return OkStatus();
}

Status CsvFile::SkipHeader() { return ReadRecord(nullptr).status(); }

StatusOr<bool> CsvFile::Next(Element* out) {
  out->clear();
  MR_ASSIGN_OR_RETURN(const bool read, ReadRecord(out));
  if (read && out->size() != format_.types.size()) {
    return InvalidArgument("Expect ", format_.types.size(), " fields but have ",
                           out->size(), " in record");
  }
  return read;
}

StatusOr<bool> CsvFile::HasMore() {
  if (at_ < part_.size()) return true;
  stream_->Consume(part_.size());
  part_ = {};
  at_ = 0;
  const StatusOr<absl::string_view> part = stream_->Peek();
  if (!part.ok()) {
    broken_ = true;
    return part.status();
  }
  part_ = *part;
  return !part_.empty();
}

// After an error the rest of the record is read, so that the next call finds a
// whole one.
StatusOr<bool> CsvFile::ReadRecord(Element* out) {
  broken_ = false;
  MR_ASSIGN_OR_RETURN(const bool more, HasMore());
  if (!more) return false;
  const std::vector<int64_t>& columns = format_.columns;
  Status first;
  int64_t column = 0;
  size_t selected = 0;
  for (bool ended = false; !ended; ++column) {
    const bool is_selected =
        columns.empty()
            ? !std::binary_search(format_.excluded.begin(),
                                  format_.excluded.end(), column)
            : selected < columns.size() && columns[selected] == column;
    selected += is_selected;
    Status status = ReadField(&ended);
    if (broken_) return status;
    if (status.ok() && is_selected && out != nullptr) status = AddField(out);
    UpdateStatus(first, status);
  }
  MR_RETURN_IF_ERROR(first);
  return true;
}

Status CsvFile::ReadField(bool* ended) {
  field_.clear();
  MR_ASSIGN_OR_RETURN(const bool more, HasMore());
  if (!more) {
    *ended = true;
    return OkStatus();
  }
  return format_.quotes && part_[at_] == '"' ? ReadQuoted(ended)
                                             : ReadPlain(ended);
}

Status CsvFile::AppendToField(absl::string_view text) {
  // A field may be as long as its file, and that of a compressed file far
  // longer.
  const auto size = static_cast<int64_t>(field_.size() + text.size());
  if (size > kUncountedFieldBytes && size > charge_.bytes()) {
    Status charged = charge_.Set(2 * size, "a field of a file");
    if (!charged.ok()) {
      broken_ = true;
      return charged;
    }
  }
  field_.append(text.data(), text.size());
  return OkStatus();
}

// Passes over the second character of a line end.
Status CsvFile::EndRecord(char line_end, bool* ended) {
  *ended = true;
  if (line_end != '\r') return OkStatus();
  MR_ASSIGN_OR_RETURN(const bool more, HasMore());
  if (more && part_[at_] == '\n') ++at_;
  return OkStatus();
}

Status CsvFile::ReadPlain(bool* ended) {
  Status first;
  for (;;) {
    MR_ASSIGN_OR_RETURN(const bool more, HasMore());
    if (!more) {
      *ended = true;
      return first;
    }
    size_t end = at_;
    while (end < part_.size() && !stops_[static_cast<uint8_t>(part_[end])]) {
      ++end;
    }
    MR_RETURN_IF_ERROR(AppendToField(part_.substr(at_, end - at_)));
    at_ = end;
    if (end == part_.size()) continue;
    const char stop = part_[at_++];
    if (stop == format_.delimiter) return first;
    if (stop == '\n' || stop == '\r') {
      MR_RETURN_IF_ERROR(EndRecord(stop, ended));
      return first;
    }
    UpdateStatus(first,
                 InvalidArgument("Unquoted fields cannot have quotes inside"));
  }
}

Status CsvFile::ReadQuoted(bool* ended) {
  ++at_;  // the opening quote
  Status first;
  for (;;) {
    MR_ASSIGN_OR_RETURN(const bool more, HasMore());
    if (!more) {
      *ended = true;
      return InvalidArgument(
          "Reached end of file without closing quoted field in record");
    }
    const size_t quote = std::min(part_.find('"', at_), part_.size());
    MR_RETURN_IF_ERROR(AppendToField(part_.substr(at_, quote - at_)));
    at_ = quote;
    if (quote == part_.size()) continue;
    ++at_;
    MR_ASSIGN_OR_RETURN(const bool follows, HasMore());
    if (!follows) {
      *ended = true;
      return first;
    }
    const char next = part_[at_++];
    if (next == format_.delimiter) return first;
    if (next == '\n' || next == '\r') {
      MR_RETURN_IF_ERROR(EndRecord(next, ended));
      return first;
    }
    if (next == '"') {
      MR_RETURN_IF_ERROR(AppendToField("\""));
    } else {
      UpdateStatus(
          first,
          InvalidArgument(
              "Quote inside a string has to be escaped by another quote"));
    }
  }
}

Status CsvFile::AddField(Element* out) const {
  const size_t i = out->size();
  if (i >= format_.types.size()) {
    return InvalidArgument("Expect ", format_.types.size(),
                           " fields but have more in record");
  }
  Tensor& value = out->emplace_back();
  if (field_.empty() || field_ == format_.na_value) {
    const Tensor& fallback = format_.defaults[i];
    if (fallback.num_elements() != 1) {
      return InvalidArgument("Field ", i,
                             " is required but missing in record!");
    }
    value = fallback.Reshaped(TensorShape());
    return OkStatus();
  }
  const DataType type = format_.types[i];
  if (type == DataType::kString) {
    MR_ASSIGN_OR_RETURN(value,
                        Tensor::Allocate(allocator_, type, TensorShape()));
    value.mutable_flat<StringElement>()[0].Assign(field_);
    return OkStatus();
  }
  return Dispatch<float, double, int32_t, int64_t>(
      type, [&]<class T>() -> Status {
        T number{};
        if (!ParseNumber(field_, &number)) {
          return InvalidArgument("Field ", i, " in record is not a valid ",
                                 DataTypeName(type), ": ", field_);
        }
        value = Tensor::Scalar<T>(number);
        return OkStatus();
      });
}

}  // namespace millrace::ops

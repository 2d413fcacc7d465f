#include "millrace/ops/reader/shuffled_records.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_split.h"

namespace millrace::ops {

Status ShuffledRecords::StartPass(FileSystem* files) {
  std::vector<std::string> names;
  for (const absl::string_view pattern :
       absl::StrSplit(options_.patterns, ',')) {
    MR_ASSIGN_OR_RETURN(const std::vector<std::string> found,
                        files->GetMatchingPaths(std::string(pattern)));
    names.insert(names.end(), found.begin(), found.end());
  }
  if (names.empty()) {
    return NotFound("Found no files at ", options_.patterns);
  }
  if (!found_any_) {
    return FailedPrecondition("the files have no records: ", options_.patterns);
  }
  std::sort(names.begin(), names.end());
  for (size_t i = names.size(); i > 1; --i) {
    std::swap(names[i - 1], names[Below(i)]);
  }
  const auto count = static_cast<double>(names.size());
  const double shift =
      options_.shift_ratio * count * static_cast<double>(passes_ % 1000000);
  if (shift > 0 && shift < 1e15) {
    std::rotate(names.begin(),
                names.begin() + static_cast<int64_t>(shift) %
                                    static_cast<int64_t>(names.size()),
                names.end());
  }
  names_ = std::move(names);
  next_name_ = 0;
  found_any_ = false;
  ++passes_;
  return OkStatus();
}

StatusOr<bool> ShuffledRecords::Read(FileSystem* files, std::string* record) {
  while (true) {
    if (reader_ == nullptr) {
      if (next_name_ == names_.size()) return false;
      const std::string& name = names_[next_name_++];
      MR_ASSIGN_OR_RETURN(file_, files->NewRandomAccessFile(name));
      reader_ = std::make_unique<RecordReader>(
          file_.get(),
          RecordReaderOptions{.compression = options_.compression});
    }
    const Status status = reader_->Read(record);
    if (status.ok()) return true;
    // Nothing can be found behind a damaged record.
    reader_ = nullptr;
    file_ = nullptr;
    if (status.code() != StatusCode::kOutOfRange) {
      return Annotate(status,
                      absl::StrCat("; in file ", names_[next_name_ - 1]));
    }
  }
}

Status ShuffledRecords::Fill(KernelContext& ctx) {
  std::string record;
  while (buffer_.size() < std::max<size_t>(options_.buffered, 1)) {
    MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    MR_ASSIGN_OR_RETURN(const bool found, Read(ctx.step().files, &record));
    if (!found) return OkStatus();
    found_any_ = true;
    const size_t bytes = buffer_bytes_ + record.size() + sizeof(record);
    MR_RETURN_IF_ERROR(charge_.Set(static_cast<int64_t>(bytes),
                                   "the records that a node has read ahead"));
    buffer_bytes_ = bytes;
    buffer_.push_back(std::move(record));
  }
  return OkStatus();
}

Status ShuffledRecords::Take(KernelContext& ctx, std::string* record) {
  MR_RETURN_IF_ERROR(Fill(ctx));
  while (buffer_.empty()) {
    MR_RETURN_IF_ERROR(StartPass(ctx.step().files));
    MR_RETURN_IF_ERROR(Fill(ctx));
  }
  std::swap(buffer_[Below(buffer_.size())], buffer_.back());
  *record = std::move(buffer_.back());
  buffer_.pop_back();
  buffer_bytes_ -= record->size() + sizeof(*record);
  return charge_.Set(static_cast<int64_t>(buffer_bytes_), "records");
}

}  // namespace millrace::ops

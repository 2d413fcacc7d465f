#include "millrace/ops/dataset/file_cache.h"

#include "absl/strings/str_format.h"

namespace millrace::ops {
namespace {

// TensorFlow's limit; the width of the numbers in keys follows from it.
constexpr int64_t kMaxElements = 10'000'000;

}  // namespace

std::string CacheFile::Key(size_t component) const {
  const auto digits = static_cast<int>(absl::StrCat(types_.size()).size());
  return absl::StrFormat("%8d_%*d", next_, digits, static_cast<int>(component));
}

Status CacheFile::Open() {
  if (files_->Exists(prefix_ + ".index").ok()) {
    MR_ASSIGN_OR_RETURN(reader_, BundleReader::Open(files_, prefix_));
    return OkStatus();
  }
  if (files_->Exists(LockPath()).ok()) {
    const StatusOr<std::string> content = ReadFileToString(files_, LockPath());
    return AlreadyExists(
        "There appears to be a concurrent caching iterator running - cache "
        "lockfile already exists ('",
        LockPath(),
        "'). If you are sure no other running computations are using this "
        "cache prefix, delete the lockfile and re-initialize the iterator. "
        "Lockfile contents: ",
        content.ok() ? *content : "");
  }
  MR_ASSIGN_OR_RETURN(writer_, BundleWriter::Open(files_, prefix_));
  return WriteStringToFile(files_, LockPath(), "written by millrace");
}

Status CacheFile::Add(const Element& element) {
  if (next_ >= kMaxElements) {
    return InvalidArgument("Upstream iterator is producing more than ",
                           kMaxElements,
                           " items, which is more than the cache limit.");
  }
  if (element.size() != types_.size()) {
    return Internal("Upstream iterator invalid. An element with ",
                    element.size(), " components, expected ", types_.size());
  }
  constexpr int64_t kBytesPerEntry = 256;
  MR_RETURN_IF_ERROR(
      index_.Add(static_cast<int64_t>(element.size()) * kBytesPerEntry));
  for (size_t c = 0; c < element.size(); ++c) {
    MR_RETURN_IF_ERROR(writer_->Add(Key(c), element[c]));
  }
  ++next_;
  return OkStatus();
}

Status CacheFile::Finish() {
  MR_RETURN_IF_ERROR(writer_->Finish());
  writer_ = nullptr;
  index_.Clear();
  return files_->Delete(LockPath());
}

void CacheFile::Abandon() {
  if (writer_ == nullptr) return;
  writer_ = nullptr;
  index_.Clear();
  files_->Delete(LockPath()).IgnoreError();
}

StatusOr<std::vector<Element>> CacheFile::Read(size_t most,
                                               Allocator* allocator) {
  std::vector<Element> elements;
  for (; elements.size() < most; ++next_) {
    if (!reader_->Contains(Key(0))) break;
    Element element;
    for (size_t c = 0; c < types_.size(); ++c) {
      MR_ASSIGN_OR_RETURN(Tensor t, reader_->Lookup(Key(c), allocator));
      if (t.dtype() != types_[c]) {
        return InvalidArgument("the cache has type ", DataTypeName(t.dtype()),
                               " in component ", c, ", expected ",
                               DataTypeName(types_[c]));
      }
      element.push_back(std::move(t));
    }
    elements.push_back(std::move(element));
  }
  return elements;
}

}  // namespace millrace::ops

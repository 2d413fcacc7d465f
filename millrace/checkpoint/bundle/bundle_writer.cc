#include "millrace/checkpoint/bundle/bundle_writer.h"

#include <algorithm>

#include "millrace/base/hash/crc32c.h"
#include "millrace/checkpoint/bundle/bundle_index.h"
#include "millrace/checkpoint/bundle/string_tensor.h"
#include "millrace/checkpoint/bundle/variant_elements.h"
#include "millrace/checkpoint/checkpoint_paths.h"

namespace millrace {
namespace {

constexpr size_t kPendingBytes = size_t{256} << 10;
// Bytes that are checksummed and then written while they are in the cache.
constexpr size_t kCopiedBytes = size_t{256} << 10;

}  // namespace

BundleWriter::BundleWriter(FileSystem* files, const std::string& prefix,
                           BundleOptions options)
    : files_(files),
      options_(options),
      index_path_(IndexFilename(prefix)),
      index_temp_(TempFilename(index_path_)),
      data_path_(DataFilename(prefix, 0, 1)),
      data_temp_(TempFilename(data_path_)) {}

StatusOr<std::unique_ptr<BundleWriter>> BundleWriter::Open(
    FileSystem* files, const std::string& prefix, BundleOptions options) {
  if (options.data_alignment < 1) {
    return InvalidArgument("data_alignment must be at least 1, but is ",
                           options.data_alignment);
  }
  MR_RETURN_IF_ERROR(CreateDirForGood(files, DirectoryOf(prefix)));
  std::unique_ptr<BundleWriter> writer(
      new BundleWriter(files, prefix, options));
  MR_ASSIGN_OR_RETURN(writer->data_,
                      files->NewWritableFile(writer->data_temp_));
  return writer;
}

BundleWriter::~BundleWriter() {
  if (finished_ || data_ == nullptr) return;
  // An error cannot be reported here, and these files are never read.
  (void)data_->Close();
  (void)files_->Delete(data_temp_);
  (void)files_->Delete(index_temp_);
}

Status BundleWriter::Add(absl::string_view name, const Tensor& value) {
  MR_RETURN_IF_ERROR(status_);
  if (name.empty() || IsSliceKey(name)) {
    return InvalidArgument(
        "The name of a tensor in a checkpoint must be given and not begin with "
        "a zero byte");
  }
  return AddWithKey(std::string(name), value);
}

Status BundleWriter::AddSlice(absl::string_view name,
                              const TensorShape& full_shape,
                              const TensorSlice& slice, const Tensor& value) {
  MR_RETURN_IF_ERROR(status_);
  MR_ASSIGN_OR_RETURN(const TensorShape shape, slice.SliceShape(full_shape));
  if (!(shape == value.shape())) {
    return InvalidArgument("Slice ", slice.DebugString(), " of shape ",
                           full_shape.DebugString(), " has shape ",
                           shape.DebugString(), ", but tensor ", name, " has ",
                           value.shape().DebugString());
  }
  if (slice.Covers(full_shape)) return Add(name, value);
  if (name.empty() || IsSliceKey(name))
    return Add(name, value);  // returns the error
  auto full = entries_.find(name);
  if (full != entries_.end() &&
      (full->second.slices.empty() || full->second.dtype != value.dtype() ||
       !(full->second.shape == full_shape))) {
    return InvalidArgument(
        "Adding a slice of another dtype or shape under key: ", name);
  }
  MR_RETURN_IF_ERROR(AddWithKey(SliceKey(name, slice), value));
  if (full == entries_.end()) {
    full = entries_.emplace(std::string(name), BundleEntry()).first;
    full->second.dtype = value.dtype();
    full->second.shape = full_shape;
  }
  full->second.slices.push_back(slice);
  return OkStatus();
}

Status BundleWriter::AddWithKey(std::string key, const Tensor& value) {
  if (value.dtype() == DataType::kResource) {
    return Unimplemented(
        "Tensors of dtype ", DataTypeName(value.dtype()),
        " cannot be saved: ", IsSliceKey(key) ? "(a slice)" : key);
  }
  auto [it, added] = entries_.try_emplace(std::move(key));
  if (!added) {
    return InvalidArgument("Adding duplicate key: ",
                           IsSliceKey(it->first) ? "(a slice)" : it->first);
  }
  it->second.dtype = value.dtype();
  it->second.shape = value.shape();
  return status_ = WriteValue(value, &it->second);
}

Status BundleWriter::WriteValue(const Tensor& value, BundleEntry* entry) {
  const int64_t misplaced = offset_ % options_.data_alignment;
  if (misplaced != 0) {
    const int64_t gap = options_.data_alignment - misplaced;
    MR_RETURN_IF_ERROR(Write(std::string(static_cast<size_t>(gap), '\0')));
  }
  entry->offset = offset_;
  uint32_t crc = 0;
  if (value.dtype() == DataType::kString) {
    const auto strings = value.flat<StringElement>();
    MR_RETURN_IF_ERROR(Write(EncodeStringHeader(strings, &crc)));
    for (const StringElement& s : strings) {
      crc = crc32c::Extend(crc, s.data(), s.size());
      MR_RETURN_IF_ERROR(Write(s.view()));
    }
  } else if (value.dtype() == DataType::kVariant) {
    for (const VariantElement& element : value.flat<VariantElement>()) {
      MR_RETURN_IF_ERROR(WriteVariantElement(
          element, &crc, [this](absl::string_view s) { return Write(s); }));
    }
  } else {
    absl::string_view bytes(value.data(), value.size_bytes());
    while (!bytes.empty()) {
      const absl::string_view piece = bytes.substr(0, kCopiedBytes);
      crc = crc32c::Extend(crc, piece.data(), piece.size());
      MR_RETURN_IF_ERROR(Write(piece));
      bytes.remove_prefix(piece.size());
    }
  }
  entry->size_bytes = offset_ - entry->offset;
  entry->crc32c = crc32c::Mask(crc);
  return OkStatus();
}

Status BundleWriter::Write(absl::string_view data) {
  offset_ += static_cast<int64_t>(data.size());
  if (pending_.size() + data.size() > kPendingBytes)
    MR_RETURN_IF_ERROR(FlushPending());
  if (data.size() >= kPendingBytes) return data_->Append(data);
  pending_.append(data.data(), data.size());
  return OkStatus();
}

Status BundleWriter::FlushPending() {
  if (pending_.empty()) return OkStatus();
  Status status = data_->Append(pending_);
  pending_.clear();
  return status;
}

Status BundleWriter::WriteIndex() {
  std::map<std::string, std::string> values;
  for (const auto& [key, entry] : entries_)
    values.emplace(key, EncodeBundleEntry(entry));
  return WriteBundleIndex(files_, index_temp_, 1, values);
}

Status BundleWriter::Publish() {
  MR_RETURN_IF_ERROR(FlushPending());
  MR_RETURN_IF_ERROR(data_->Sync());
  MR_RETURN_IF_ERROR(data_->Close());
  MR_RETURN_IF_ERROR(WriteIndex());
  MR_RETURN_IF_ERROR(UnpublishBundle(files_, index_path_));
  MR_RETURN_IF_ERROR(files_->Rename(data_temp_, data_path_));
  return PublishBundle(files_, index_temp_, index_path_);
}

Status BundleWriter::Finish() {
  MR_RETURN_IF_ERROR(status_);
  MR_RETURN_IF_ERROR(Publish());
  finished_ = true;
  status_ = FailedPrecondition("The checkpoint is finished");
  return OkStatus();
}

}  // namespace millrace

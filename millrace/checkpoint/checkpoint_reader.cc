#include "millrace/checkpoint/checkpoint_reader.h"

#include "millrace/checkpoint/bundle/bundle_reader.h"
#include "millrace/checkpoint/checkpoint_paths.h"
#include "millrace/checkpoint/v1/v1_reader.h"

namespace millrace {

CheckpointReader::CheckpointReader() = default;
CheckpointReader::~CheckpointReader() = default;

StatusOr<std::unique_ptr<CheckpointReader>> CheckpointReader::Open(
    FileSystem* files, const std::string& prefix, ReadingCheck check) {
  std::unique_ptr<CheckpointReader> reader(new CheckpointReader);
  const Status index = files->Exists(IndexFilename(prefix));
  if (index.code() == StatusCode::kNotFound) {
    MR_ASSIGN_OR_RETURN(reader->v1_, V1Reader::Open(files, prefix));
    reader->v1_->set_check(std::move(check));
  } else {
    MR_RETURN_IF_ERROR(index);
    MR_ASSIGN_OR_RETURN(reader->v2_, BundleReader::Open(files, prefix));
    reader->v2_->set_check(std::move(check));
  }
  return reader;
}

StatusOr<BundleEntry> CheckpointReader::Find(absl::string_view name) const {
  return v2_ ? v2_->Find(name) : v1_->Find(name);
}

StatusOr<Tensor> CheckpointReader::Lookup(absl::string_view name,
                                          Allocator* allocator) const {
  return v2_ ? v2_->Lookup(name, allocator) : v1_->Lookup(name, allocator);
}

StatusOr<Tensor> CheckpointReader::LookupSlice(absl::string_view name,
                                               const TensorSlice& slice,
                                               Allocator* allocator) const {
  return v2_ ? v2_->LookupSlice(name, slice, allocator)
             : v1_->LookupSlice(name, slice, allocator);
}

StatusOr<Tensor> CheckpointReader::Restore(absl::string_view name,
                                           absl::string_view shape_and_slice,
                                           DataType dtype,
                                           Allocator* allocator) const {
  MR_ASSIGN_OR_RETURN(const BundleEntry entry, Find(name));
  if (entry.dtype != dtype) {
    return InvalidArgument(
        "tensor_name = ", name, "; expected dtype ", DataTypeName(dtype),
        " does not equal original dtype ", DataTypeName(entry.dtype));
  }
  MR_ASSIGN_OR_RETURN(const std::optional<ShapeAndSlice> spec,
                      ParseShapeAndSlice(shape_and_slice));
  if (!spec.has_value()) return Lookup(name, allocator);
  if (!(spec->full_shape == entry.shape)) {
    return InvalidArgument("tensor_name = ", name,
                           "; shape in shape_and_slice spec ",
                           spec->full_shape.DebugString(),
                           " does not match the shape stored in checkpoint: ",
                           entry.shape.DebugString());
  }
  return LookupSlice(name, spec->slice, allocator);
}

Status CheckpointReader::ForEach(
    absl::FunctionRef<Status(absl::string_view name, const BundleEntry& entry)>
        visit) const {
  return v2_ ? v2_->ForEach(visit) : v1_->ForEach(visit);
}

}  // namespace millrace

#include "millrace/checkpoint/v1/v1_writer.h"

#include "millrace/checkpoint/bundle/bundle_index.h"
#include "millrace/checkpoint/checkpoint_paths.h"
#include "millrace/checkpoint/slice_proto.h"
#include "millrace/checkpoint/table/table_builder.h"
#include "millrace/checkpoint/v1/v1_values.h"
#include "proto/checkpoint/saved_tensor_slice.pb.h"

namespace millrace {
namespace {

// protobuf's limit, minus room for the message around the values.
constexpr size_t kMaxValueBytes = (size_t{1} << 31) - (size_t{1} << 10);

Status TooLarge(size_t bytes) {
  return InvalidArgument(
      "Tensor slice is too large to serialize (conservative estimate: ", bytes,
      " bytes); format V2 has no such limit");
}

}  // namespace

struct V1Writer::Header {
  std::map<std::string, tensorflow::SavedSliceMeta> tensors;
};

V1Writer::V1Writer(FileSystem* files, const std::string& path)
    : files_(files), path_(path), header_(new Header) {}
V1Writer::~V1Writer() = default;

Status V1Writer::Add(absl::string_view name, const TensorShape& full_shape,
                     const TensorSlice& slice, const Tensor& value) {
  MR_ASSIGN_OR_RETURN(const TensorShape shape, slice.SliceShape(full_shape));
  if (!(shape == value.shape())) {
    return InvalidArgument("Slice ", slice.DebugString(), " of shape ",
                           full_shape.DebugString(), " has shape ",
                           shape.DebugString(), ", but tensor ", name, " has ",
                           value.shape().DebugString());
  }
  if (value.size_bytes() > kMaxValueBytes) return TooLarge(value.size_bytes());
  auto [it, added] = header_->tensors.try_emplace(std::string(name));
  tensorflow::SavedSliceMeta& meta = it->second;
  if (added) {
    meta.set_name(std::string(name));
    meta.set_type(static_cast<tensorflow::DataType>(value.dtype()));
    ToProto(full_shape, meta.mutable_shape());
  } else {
    MR_ASSIGN_OR_RETURN(const TensorShape there, FromProto(meta.shape()));
    if (!(there == full_shape) ||
        static_cast<int>(value.dtype()) != meta.type()) {
      return InvalidArgument(
          "Mismatching dtypes or shapes of slices of tensor ", name, ": ",
          there.DebugString(), " and ", full_shape.DebugString());
    }
  }
  tensorflow::SavedTensorSlices record;
  record.mutable_data()->set_name(std::string(name));
  ToProto(slice, record.mutable_data()->mutable_slice());
  MR_RETURN_IF_ERROR(
      ValuesToProto(value, record.mutable_data()->mutable_data()));
  if (record.ByteSizeLong() > kMaxValueBytes)
    return TooLarge(record.ByteSizeLong());
  if (!values_.try_emplace(SliceKey(name, slice), record.SerializeAsString())
           .second) {
    return InvalidArgument("Adding duplicate slice ", slice.DebugString(),
                           " of tensor ", name);
  }
  ToProto(slice, meta.add_slice());
  return OkStatus();
}

Status V1Writer::Finish() {
  tensorflow::SavedTensorSlices header;
  for (const auto& [name, meta] : header_->tensors)
    *header.mutable_meta()->add_tensor() = meta;
  header.mutable_meta()->mutable_versions()->set_producer(1);

  MR_RETURN_IF_ERROR(CreateDirForGood(files_, DirectoryOf(path_)));
  const std::string temp = TempFilename(path_);
  const auto write = [&]() -> Status {
    MR_ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file,
                        files_->NewWritableFile(temp));
    TableBuilder table(file.get());
    MR_RETURN_IF_ERROR(table.Add("", header.SerializeAsString()));
    for (const auto& [key, value] : values_)
      MR_RETURN_IF_ERROR(table.Add(key, value));
    MR_RETURN_IF_ERROR(table.Finish());
    MR_RETURN_IF_ERROR(file->Sync());
    MR_RETURN_IF_ERROR(file->Close());
    MR_RETURN_IF_ERROR(files_->Rename(temp, path_));
    return files_->SyncDir(DirectoryOf(path_));
  };
  Status status = write();
  if (!status.ok()) (void)files_->Delete(temp);
  return status;
}

}  // namespace millrace

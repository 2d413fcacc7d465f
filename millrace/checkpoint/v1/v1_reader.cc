#include "millrace/checkpoint/v1/v1_reader.h"

#include <cstring>

#include "millrace/checkpoint/slice_copy.h"
#include "millrace/checkpoint/slice_proto.h"
#include "millrace/checkpoint/v1/v1_values.h"
#include "proto/checkpoint/saved_tensor_slice.pb.h"

namespace millrace {
namespace {

constexpr int kV1Version = 1;

Status CopyRuns(const Tensor& from, const Box& from_box, const Box& to_box,
                Tensor* to) {
  BoxRuns runs(from_box, to_box);
  const size_t width = SizeOf(from.dtype());
  for (BoxRuns::Run run; runs.Next(&run);) {
    if (from.dtype() == DataType::kString) {
      const auto source = from.flat<StringElement>();
      const auto target = to->mutable_flat<StringElement>();
      for (int64_t i = 0; i < run.count; ++i) {
        target[static_cast<size_t>(run.to + i)] =
            source[static_cast<size_t>(run.from + i)];
      }
    } else {
      std::memcpy(to->mutable_data() + static_cast<size_t>(run.to) * width,
                  from.data() + static_cast<size_t>(run.from) * width,
                  static_cast<size_t>(run.count) * width);
    }
  }
  return OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<V1Reader>> V1Reader::Open(FileSystem* files,
                                                   const std::string& pattern) {
  MR_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                      files->GetMatchingPaths(pattern));
  if (paths.empty()) {
    return NotFound(
        "Unsuccessful TensorSliceReader constructor: Failed to find any "
        "matching files for ",
        pattern);
  }
  std::unique_ptr<V1Reader> reader(new V1Reader(pattern));
  for (const std::string& path : paths) {
    Status status = reader->AddFile(files, path);
    if (!status.ok())
      return Annotate(status, absl::StrCat(" (file ", path, ")"));
  }
  return reader;
}

Status V1Reader::AddFile(FileSystem* files, const std::string& path) {
  MR_ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file,
                      files->NewRandomAccessFile(path));
  MR_ASSIGN_OR_RETURN(std::unique_ptr<Table> table,
                      Table::Open(std::move(file)));
  MR_ASSIGN_OR_RETURN(const std::optional<std::string> value, table->Get(""));
  tensorflow::SavedTensorSlices header;
  if (!value.has_value() || !header.ParseFromString(*value)) {
    return DataLoss(
        "Failed to find the saved tensor slices at the beginning of the "
        "checkpoint");
  }
  MR_RETURN_IF_ERROR(
      CheckCheckpointVersion(header.meta().versions(), kV1Version));
  for (const auto& meta : header.meta().tensor()) {
    BundleEntry entry;
    MR_ASSIGN_OR_RETURN(entry.dtype, CheckedDataType(meta.type()));
    MR_ASSIGN_OR_RETURN(entry.shape, FromProto(meta.shape()));
    auto [it, added] = tensors_.try_emplace(meta.name());
    Saved& saved = it->second;
    if (added) {
      saved.entry = entry;
    } else if (saved.entry.dtype != entry.dtype ||
               !(saved.entry.shape == entry.shape)) {
      return DataLoss(
          "Shards of a checkpoint differ in dtype or shape of tensor ",
          meta.name());
    }
    for (const auto& slice : meta.slice()) {
      MR_ASSIGN_OR_RETURN(saved.entry.slices.emplace_back(),
                          FromProto(slice, entry.shape));
      saved.files.push_back(tables_.size());
    }
  }
  tables_.push_back(std::move(table));
  return OkStatus();
}

StatusOr<BundleEntry> V1Reader::Find(absl::string_view name) const {
  auto it = tensors_.find(name);
  if (it == tensors_.end()) {
    return NotFound("Tensor name \"", name, "\" not found in checkpoint files ",
                    pattern_);
  }
  return it->second.entry;
}

StatusOr<Tensor> V1Reader::Lookup(absl::string_view name,
                                  Allocator* allocator) const {
  MR_ASSIGN_OR_RETURN(const BundleEntry entry, Find(name));
  return LookupSlice(name, TensorSlice::Full(entry.shape.rank()), allocator);
}

StatusOr<Tensor> V1Reader::ReadSlice(absl::string_view name, const Saved& saved,
                                     size_t i, Allocator* allocator) const {
  const TensorSlice& slice = saved.entry.slices[i];
  MR_ASSIGN_OR_RETURN(const std::optional<std::string> value,
                      tables_[saved.files[i]]->Get(SliceKey(name, slice)));
  tensorflow::SavedTensorSlices record;
  if (!value.has_value() || !record.ParseFromString(*value)) {
    return DataLoss("Slice ", slice.DebugString(), " of tensor ", name,
                    " is missing in its checkpoint file");
  }
  MR_ASSIGN_OR_RETURN(TensorShape shape, slice.SliceShape(saved.entry.shape));
  tensorflow::TensorProto* values = record.mutable_data()->mutable_data();
  if (shape.num_elements() > NumValues(*values)) {
    return DataLoss("Slice ", slice.DebugString(), " of tensor ", name,
                    " has too few values");
  }
  MR_ASSIGN_OR_RETURN(
      Tensor tensor,
      Tensor::Allocate(allocator, saved.entry.dtype, std::move(shape)));
  MR_RETURN_IF_ERROR(ValuesFromProto(values, &tensor));
  return tensor;
}

StatusOr<Tensor> V1Reader::LookupSlice(absl::string_view name,
                                       const TensorSlice& slice,
                                       Allocator* allocator) const {
  MR_RETURN_IF_ERROR(Find(name).status());
  const Saved& saved = tensors_.find(name)->second;
  const TensorShape& full_shape = saved.entry.shape;
  MR_ASSIGN_OR_RETURN(TensorShape shape, slice.SliceShape(full_shape));
  const Box wanted = BoxOf(slice, full_shape);
  std::vector<Box> stored;
  for (const TensorSlice& s : saved.entry.slices)
    stored.push_back(BoxOf(s, full_shape));
  auto cover = SelectCover(stored, wanted);
  if (cover.status().code() == StatusCode::kNotFound) {
    return InvalidArgument(
        "Does not have sufficient slices for partitioned tensor ", name,
        " to restore in slice_spec: ", slice.DebugString());
  }
  MR_RETURN_IF_ERROR(cover.status());
  if (cover->size() == 1 && stored[cover->front()].start == wanted.start &&
      stored[cover->front()].length == wanted.length) {
    return ReadSlice(name, saved, cover->front(), allocator);
  }
  // All parts come first: together they have at least the elements of the
  // result.
  std::vector<Tensor> parts;
  for (size_t i : *cover) {
    if (check_) MR_RETURN_IF_ERROR(check_());
    MR_ASSIGN_OR_RETURN(parts.emplace_back(),
                        ReadSlice(name, saved, i, HostAllocator()));
  }
  MR_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(allocator, saved.entry.dtype,
                                                   std::move(shape)));
  for (size_t k = 0; k < parts.size(); ++k) {
    MR_RETURN_IF_ERROR(CopyRuns(parts[k], stored[(*cover)[k]], wanted, &out));
  }
  return out;
}

Status V1Reader::ForEach(
    absl::FunctionRef<Status(absl::string_view name, const BundleEntry& entry)>
        visit) const {
  for (const auto& [name, saved] : tensors_)
    MR_RETURN_IF_ERROR(visit(name, saved.entry));
  return OkStatus();
}

}  // namespace millrace

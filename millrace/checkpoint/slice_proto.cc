#include "millrace/checkpoint/slice_proto.h"

namespace millrace {

void ToProto(const TensorShape& shape, tensorflow::TensorShapeProto* proto) {
  proto->Clear();
  for (int d = 0; d < shape.rank(); ++d)
    proto->add_dim()->set_size(shape.dim(d));
}

StatusOr<TensorShape> FromProto(const tensorflow::TensorShapeProto& proto) {
  DimVector dims;
  for (const auto& dim : proto.dim()) dims.push_back(dim.size());
  auto shape = TensorShape::Make(dims);
  if (proto.unknown_rank() || !shape.ok()) {
    return DataLoss("Bad shape of a tensor in a checkpoint: ",
                    shape.status().message());
  }
  return shape;
}

void ToProto(const TensorSlice& slice, tensorflow::TensorSliceProto* proto) {
  proto->Clear();
  for (int d = 0; d < slice.rank(); ++d) {
    auto* extent = proto->add_extent();
    if (slice.extent(d).full()) continue;
    extent->set_start(slice.extent(d).start);
    extent->set_length(slice.extent(d).length);
  }
}

StatusOr<TensorSlice> FromProto(const tensorflow::TensorSliceProto& proto,
                                const TensorShape& shape) {
  std::vector<TensorSlice::Extent> extents;
  for (const auto& extent : proto.extent()) {
    const bool has_length = extent.has_length_hack_case() ==
                            tensorflow::TensorSliceProto::Extent::kLength;
    extents.push_back({extent.start(), has_length ? extent.length()
                                                  : TensorSlice::kFullExtent});
  }
  auto slice = TensorSlice::Make(std::move(extents));
  Status status = slice.status();
  if (status.ok()) status = slice->SliceShape(shape).status();
  if (!status.ok())
    return DataLoss("Bad slice in a checkpoint: ", status.message());
  return slice;
}

Status CheckCheckpointVersion(const tensorflow::VersionDef& versions,
                              int version) {
  if (versions.min_consumer() > version) {
    return InvalidArgument("Checkpoint min consumer version ",
                           versions.min_consumer(), " above current version ",
                           version, "; a newer program wrote this checkpoint");
  }
  for (int bad : versions.bad_consumers()) {
    if (bad == version) {
      return InvalidArgument("Checkpoint disallows consumer version ", bad);
    }
  }
  return OkStatus();
}

}  // namespace millrace

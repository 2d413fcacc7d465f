#include "millrace/checkpoint/bundle/bundle_entry.h"

#include "millrace/base/memory/checked_size.h"
#include "millrace/checkpoint/parse_proto.h"
#include "millrace/checkpoint/slice_proto.h"
#include "proto/checkpoint/tensor_bundle.pb.h"

namespace millrace {
namespace {

constexpr int kBundleVersion = 1;

// Returns whether an entry's size is possible for its shape and dtype.
bool SizeFits(const BundleEntry& entry) {
  const int64_t elements = entry.shape.num_elements();
  if (IsPlain(entry.dtype)) {
    const CheckedSize size =
        CheckedSize(elements) * static_cast<int64_t>(SizeOf(entry.dtype));
    return size.ok() && size.value() == entry.size_bytes;
  }
  // A string takes at least a length byte.
  return entry.size_bytes >= elements;
}

}  // namespace

std::string EncodeBundleHeader(int num_shards) {
  tensorflow::BundleHeaderProto header;
  header.set_num_shards(num_shards);
  header.set_endianness(tensorflow::BundleHeaderProto::LITTLE);
  header.mutable_version()->set_producer(kBundleVersion);
  return header.SerializeAsString();
}

StatusOr<int> ParseBundleHeader(absl::string_view bytes) {
  tensorflow::BundleHeaderProto header;
  if (!ParseFrom(bytes, &header) || header.num_shards() < 1 ||
      header.num_shards() > kMaxBundleShards) {
    return DataLoss("Bad header in the index of a checkpoint");
  }
  if (header.endianness() != tensorflow::BundleHeaderProto::LITTLE) {
    return Unimplemented(
        "Reading a bundle with different endianness from the reader; only "
        "little-endian ones can "
        "be read");
  }
  MR_RETURN_IF_ERROR(CheckCheckpointVersion(header.version(), kBundleVersion));
  return header.num_shards();
}

std::string EncodeBundleEntry(const BundleEntry& entry) {
  tensorflow::BundleEntryProto proto;
  proto.set_dtype(static_cast<tensorflow::DataType>(entry.dtype));
  ToProto(entry.shape, proto.mutable_shape());
  if (!entry.slices.empty()) {
    for (const TensorSlice& slice : entry.slices)
      ToProto(slice, proto.add_slices());
  } else {
    proto.set_shard_id(entry.shard);
    proto.set_offset(entry.offset);
    proto.set_size(entry.size_bytes);
    proto.set_crc32c(entry.crc32c);
  }
  return proto.SerializeAsString();
}

StatusOr<BundleEntry> ParseBundleEntry(absl::string_view bytes,
                                       int num_shards) {
  tensorflow::BundleEntryProto proto;
  if (!ParseFrom(bytes, &proto)) {
    return DataLoss("Bad entry in the index of a checkpoint");
  }
  BundleEntry entry;
  MR_ASSIGN_OR_RETURN(entry.dtype, CheckedDataType(proto.dtype()));
  MR_ASSIGN_OR_RETURN(entry.shape, FromProto(proto.shape()));
  for (const auto& slice : proto.slices()) {
    MR_ASSIGN_OR_RETURN(entry.slices.emplace_back(),
                        FromProto(slice, entry.shape));
  }
  if (!entry.slices.empty()) return entry;
  entry.shard = proto.shard_id();
  entry.offset = proto.offset();
  entry.size_bytes = proto.size();
  entry.crc32c = proto.crc32c();
  if (entry.shard < 0 || entry.shard >= num_shards) {
    return DataLoss("Bad shard in the index of a checkpoint: ", entry.shard,
                    " of ", num_shards);
  }
  int64_t end = 0;
  if (entry.offset < 0 || entry.size_bytes < 0 ||
      __builtin_add_overflow(entry.offset, entry.size_bytes, &end) ||
      !SizeFits(entry)) {
    return DataLoss("Bad size in the index of a checkpoint: ", entry.size_bytes,
                    " bytes at ", entry.offset, " for ",
                    DataTypeName(entry.dtype), entry.shape.DebugString());
  }
  return entry;
}

}  // namespace millrace

#include "millrace/ops/dataset_files/snapshot_metadata.h"

#include "millrace/checkpoint/records/byte_stream.h"
#include "millrace/tensor/wire_format.h"

namespace millrace::ops {
namespace {

// The numbers of the message's fields.
constexpr uint32_t kFingerprint = 1, kRun = 2, kCreated = 3, kVersion = 4,
                   kTypes = 5, kFinalized = 1000;

std::string SnapshotMetadataPath(const std::string& folder) {
  return JoinPath(folder, "snapshot.metadata");
}

bool ReadSnapshotTypes(FieldTag tag, ChunkReader* in,
                       std::vector<int64_t>* types) {
  if (tag.type == WireType::kVarint) {
    return in->ReadInt(&types->emplace_back());
  }
  ChunkReader packed;
  if (!in->ReadBytes(&packed)) return false;
  while (!packed.done()) {
    if (!packed.ReadInt(&types->emplace_back())) return false;
  }
  return true;
}

bool ParseSnapshotMetadata(absl::string_view bytes, SnapshotMetadata* out) {
  ChunkReader in(bytes);
  out->version = 0;  // what the message says without the field
  while (!in.done()) {
    FieldTag tag;
    if (!in.ReadTag(&tag)) return false;
    bool read = false;
    if (tag.Is(kFingerprint, WireType::kBytes)) {
      read = in.ReadString(&out->fingerprint);
    } else if (tag.Is(kRun, WireType::kBytes)) {
      read = in.ReadString(&out->run);
    } else if (tag.Is(kCreated, WireType::kVarint)) {
      read = in.ReadInt(&out->created_us);
    } else if (tag.Is(kVersion, WireType::kVarint)) {
      read = in.ReadInt(&out->version);
    } else if (tag.Is(kTypes, WireType::kVarint) ||
               tag.Is(kTypes, WireType::kBytes)) {
      read = ReadSnapshotTypes(tag, &in, &out->types);
    } else if (tag.Is(kFinalized, WireType::kVarint)) {
      read = in.ReadBool(&out->finalized);
    } else {
      read = in.SkipField(tag);
    }
    if (!read) return false;
  }
  return true;
}

}  // namespace

StatusOr<std::optional<SnapshotMetadata>> ReadSnapshotMetadata(
    FileSystem* files, const std::string& folder) {
  const std::string path = SnapshotMetadataPath(folder);
  const Status exists = files->Exists(path);
  if (exists.code() == StatusCode::kPermissionDenied) return exists;
  if (!exists.ok()) return std::optional<SnapshotMetadata>();
  MR_ASSIGN_OR_RETURN(const std::string bytes, ReadWholeFile(files, path));
  SnapshotMetadata metadata;
  if (!ParseSnapshotMetadata(bytes, &metadata)) {
    return DataLoss("Can't parse ", path, " as binary proto");
  }
  return std::optional<SnapshotMetadata>(std::move(metadata));
}

Status WriteSnapshotMetadata(FileSystem* files, const std::string& folder,
                             const SnapshotMetadata& metadata) {
  MR_RETURN_IF_ERROR(files->CreateDirRecursively(folder));
  ChunkWriter types;
  for (const int64_t type : metadata.types) {
    types.Varint(static_cast<uint64_t>(type));
  }
  ChunkWriter out;
  out.BytesField(kFingerprint, metadata.fingerprint);
  out.BytesField(kRun, metadata.run);
  out.VarintField(kCreated, static_cast<uint64_t>(metadata.created_us));
  out.VarintField(kVersion, static_cast<uint64_t>(metadata.version));
  if (!metadata.types.empty()) out.NestedField(kTypes, std::move(types));
  out.VarintField(kFinalized, metadata.finalized);
  return WriteFileAtomically(files, SnapshotMetadataPath(folder),
                             std::move(out).Finish().Flatten());
}

}  // namespace millrace::ops

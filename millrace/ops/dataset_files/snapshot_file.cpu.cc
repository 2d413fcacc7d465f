#include "millrace/ops/dataset_files/snapshot_file.h"

#include <cstring>
#include <limits>

#include "millrace/base/coding.h"
#include "millrace/checkpoint/records/snappy.h"
#include "millrace/tensor/bool_bytes.h"
#include "millrace/tensor/wire.h"

namespace millrace::ops {
namespace {

// The numbers of the messages' fields.
constexpr uint32_t kTensors = 1;           // of SnapshotRecord
constexpr uint32_t kMetadata = 1;          // of SnapshotTensorMetadata
constexpr uint32_t kShape = 2, kSize = 3;  // of TensorMetadata

FileCompression FileCompressionOf(SnapshotCompression compression) {
  return compression == SnapshotCompression::kGzip ? FileCompression::kGzip
                                                   : FileCompression::kNone;
}

Status BadSnapshotMetadata() {
  return DataLoss("Could not parse SnapshotTensorMetadata");
}

// Decodes a message; one that is none is DATA_LOSS.
StatusOr<Tensor> TensorOfSnapshot(ChunkReader in, Allocator* allocator) {
  StatusOr<Tensor> t = DecodeTensor(std::move(in), allocator);
  if (t.ok() || t.status().code() == StatusCode::kResourceExhausted) return t;
  return DataLoss("Unable to parse tensor from proto.: ", t.status().message());
}

StatusOr<Element> ParseSnapshotRecord(absl::string_view record,
                                      size_t components, Allocator* allocator) {
  Element element;
  ChunkReader in(record);
  while (!in.done()) {
    FieldTag tag;
    ChunkReader tensor;
    bool read = in.ReadTag(&tag);
    if (read && tag.Is(kTensors, WireType::kBytes)) {
      read = element.size() < components && in.ReadBytes(&tensor);
      if (read) {
        MR_ASSIGN_OR_RETURN(Tensor t, TensorOfSnapshot(tensor, allocator));
        element.push_back(std::move(t));
      }
    } else {
      read = read && in.SkipField(tag);
    }
    if (!read) return DataLoss("Unable to parse tensor from proto.");
  }
  return element;
}

// What the first record of a compressed element says of a component.
struct PackedComponent {
  TensorShape shape;
  uint64_t bytes = 0;
};

StatusOr<PackedComponent> ParsePackedComponent(ChunkReader in) {
  PackedComponent component;
  while (!in.done()) {
    FieldTag tag;
    ChunkReader shape;
    if (!in.ReadTag(&tag)) return BadSnapshotMetadata();
    if (tag.Is(kShape, WireType::kBytes)) {
      if (!in.ReadBytes(&shape)) return BadSnapshotMetadata();
      const StatusOr<TensorShape> decoded = DecodeShape(shape);
      if (!decoded.ok()) return BadSnapshotMetadata();
      component.shape = *decoded;
    } else if (tag.Is(kSize, WireType::kVarint)) {
      if (!in.ReadVarint(&component.bytes)) return BadSnapshotMetadata();
    } else if (!in.SkipField(tag)) {
      return BadSnapshotMetadata();
    }
  }
  return component;
}

StatusOr<std::vector<PackedComponent>> ParsePackedComponents(
    absl::string_view record) {
  std::vector<PackedComponent> components;
  ChunkReader in(record);
  while (!in.done()) {
    FieldTag tag;
    ChunkReader component;
    if (!in.ReadTag(&tag)) return BadSnapshotMetadata();
    if (tag.Is(kMetadata, WireType::kBytes)) {
      if (!in.ReadBytes(&component)) return BadSnapshotMetadata();
      MR_ASSIGN_OR_RETURN(PackedComponent parsed,
                          ParsePackedComponent(component));
      components.push_back(std::move(parsed));
    } else if (!in.SkipField(tag)) {
      return BadSnapshotMetadata();
    }
  }
  return components;
}

// Makes a tensor of its part of the bytes.
StatusOr<Tensor> UnpackComponent(const PackedComponent& component,
                                 DataType type, absl::string_view bytes,
                                 Allocator* allocator) {
  if (!IsPlain(type)) return TensorOfSnapshot(ChunkReader(bytes), allocator);
  const auto count = static_cast<uint64_t>(component.shape.num_elements());
  if (count != bytes.size() / SizeOf(type) ||
      bytes.size() % SizeOf(type) != 0) {
    return BadSnapshotMetadata();
  }
  MR_ASSIGN_OR_RETURN(Tensor t,
                      Tensor::Allocate(allocator, type, component.shape));
  if (!bytes.empty()) {
    std::memcpy(t.mutable_data(), bytes.data(), bytes.size());
    CleanBools(type, t.mutable_data(), bytes.size());
  }
  return t;
}

StatusOr<Element> UnpackElement(absl::string_view metadata,
                                absl::string_view compressed,
                                absl::Span<const DataType> types,
                                Allocator* allocator) {
  MR_ASSIGN_OR_RETURN(const std::vector<PackedComponent> components,
                      ParsePackedComponents(metadata));
  if (components.size() != types.size()) return BadSnapshotMetadata();
  MR_ASSIGN_OR_RETURN(const std::string bytes, SnappyDecompress(compressed));
  Element element;
  absl::string_view rest = bytes;
  for (size_t i = 0; i < types.size(); ++i) {
    const bool last = i + 1 == types.size();
    const uint64_t size = components[i].bytes;
    if (size > rest.size() || (last && size != rest.size())) {
      return Internal("Uncompressed size mismatch. Snappy expects ",
                      bytes.size(),
                      " whereas the tensor metadata suggests another size");
    }
    MR_ASSIGN_OR_RETURN(
        Tensor t,
        UnpackComponent(components[i], types[i],
                        rest.substr(0, static_cast<size_t>(size)), allocator));
    rest.remove_prefix(static_cast<size_t>(size));
    element.push_back(std::move(t));
  }
  return element;
}

}  // namespace

SnapshotFileWriter::SnapshotFileWriter(std::unique_ptr<WritableFile> file,
                                       SnapshotCompression compression)
    : compression_(compression),
      file_(std::move(file)),
      sink_(file_.get(), {.compression = FileCompressionOf(compression)}) {}

StatusOr<std::unique_ptr<SnapshotFileWriter>> SnapshotFileWriter::Open(
    FileSystem* files, const std::string& path,
    SnapshotCompression compression) {
  MR_ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file,
                      files->NewAppendableFile(path));
  return std::unique_ptr<SnapshotFileWriter>(
      new SnapshotFileWriter(std::move(file), compression));
}

Status SnapshotFileWriter::WriteRecord(const ByteChunks& record) {
  char length[8];
  StoreFixed<uint64_t>(length, record.size_bytes());
  MR_RETURN_IF_ERROR(sink_.Write({length, sizeof(length)}));
  for (const Chunk& chunk : record.chunks()) {
    MR_RETURN_IF_ERROR(sink_.Write(chunk.bytes));
  }
  return OkStatus();
}

Status SnapshotFileWriter::Write(const Element& element) {
  if (compression_ == SnapshotCompression::kSnappy) {
    return WriteCompressed(element);
  }
  ChunkWriter record;
  for (const Tensor& t : element) {
    MR_ASSIGN_OR_RETURN(const size_t size,
                        EncodedTensorSize(t, StringForm::kContent));
    record.BytesHeader(kTensors, size);
    EncodeTensor(t, StringForm::kContent, &record);
  }
  return WriteRecord(std::move(record).Finish());
}

Status SnapshotFileWriter::WriteCompressed(const Element& element) {
  std::string bytes;
  ChunkWriter metadata;
  for (const Tensor& t : element) {
    const size_t before = bytes.size();
    if (IsPlain(t.dtype())) {
      if (t.num_elements() > 0) bytes.append(t.data(), t.size_bytes());
    } else {
      MR_ASSIGN_OR_RETURN(const ByteChunks encoded,
                          EncodeTensor(t, StringForm::kContent));
      for (const Chunk& chunk : encoded.chunks()) {
        bytes.append(chunk.bytes.data(), chunk.bytes.size());
      }
    }
    ChunkWriter component;
    component.BytesHeader(kShape, EncodedShapeSize(t.shape()));
    EncodeShape(t.shape(), &component);
    component.VarintField(kSize, bytes.size() - before);
    metadata.NestedField(kMetadata, std::move(component));
  }
  if (bytes.size() > std::numeric_limits<uint32_t>::max()) {
    return Internal("Failed to compress using snappy.: ", bytes.size(),
                    " bytes are more than its format has");
  }
  MR_RETURN_IF_ERROR(WriteRecord(std::move(metadata).Finish()));
  return WriteRecord(ByteChunks(SnappyCompress(bytes)));
}

Status SnapshotFileWriter::Flush() { return sink_.Flush(); }

Status SnapshotFileWriter::Close() {
  MR_RETURN_IF_ERROR(sink_.Close());
  return file_->Close();
}

SnapshotFileReader::SnapshotFileReader(std::unique_ptr<RandomAccessFile> file,
                                       SnapshotCompression compression)
    : compression_(compression),
      file_(std::move(file)),
      stream_(NewByteStream(file_.get(), FileCompressionOf(compression))) {}

StatusOr<std::unique_ptr<SnapshotFileReader>> SnapshotFileReader::Open(
    FileSystem* files, const std::string& path, SnapshotCompression compression,
    int64_t version) {
  if (version < 0 || version > kSnapshotVersion) {
    return InvalidArgument("Snapshot reader version: ", version,
                           " is not supported.");
  }
  if (version == 0 && compression == SnapshotCompression::kSnappy) {
    return Unimplemented("Snapshot reader version: 0 with SNAPPY");
  }
  MR_ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file,
                      files->NewRandomAccessFile(path));
  return std::unique_ptr<SnapshotFileReader>(
      new SnapshotFileReader(std::move(file), compression));
}

StatusOr<bool> SnapshotFileReader::ReadRecord(std::string* record) {
  std::string length;
  MR_RETURN_IF_ERROR(stream_->Read(sizeof(uint64_t), &length));
  if (length.size() < sizeof(uint64_t)) return false;
  const auto bytes = LoadFixed<uint64_t>(length.data());
  record->clear();
  MR_RETURN_IF_ERROR(stream_->Read(bytes, record));
  return record->size() == bytes;
}

StatusOr<bool> SnapshotFileReader::Read(absl::Span<const DataType> types,
                                        Allocator* allocator, Element* out) {
  std::string record, compressed;
  MR_ASSIGN_OR_RETURN(bool there, ReadRecord(&record));
  if (there && compression_ == SnapshotCompression::kSnappy) {
    MR_ASSIGN_OR_RETURN(there, ReadRecord(&compressed));
  }
  if (!there) return false;
  MR_ASSIGN_OR_RETURN(
      *out, compression_ == SnapshotCompression::kSnappy
                ? UnpackElement(record, compressed, types, allocator)
                : ParseSnapshotRecord(record, types.size(), allocator));
  return true;
}

}  // namespace millrace::ops

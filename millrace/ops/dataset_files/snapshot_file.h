// One file of a snapshot: elements, in TensorFlow's format of version 1.
//
// The file is a sequence of records: uint64 length, little-endian, and the
// bytes; no sums. Without Snappy an element is one record, a SnapshotRecord
// with a TensorProto a component. With it, an element is two: a
// SnapshotTensorMetadata, which has shape and size of each component, and the
// components compressed together, plain ones as their bytes, others as
// TensorProtos. With GZIP, all of the file is compressed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "millrace/base/files/file.h"
#include "millrace/checkpoint/records/byte_sink.h"
#include "millrace/checkpoint/records/byte_stream.h"
#include "millrace/ops/data/dataset.h"
#include "millrace/tensor/chunks.h"

namespace millrace::ops {

inline constexpr int64_t kSnapshotVersion = 1;

enum class SnapshotCompression { kNone, kGzip, kSnappy };

// Not thread-safe; may block.
class SnapshotFileWriter {
 public:
  // Appends to the file, or creates it.
  static StatusOr<std::unique_ptr<SnapshotFileWriter>> Open(
      FileSystem* files, const std::string& path,
      SnapshotCompression compression);
  Status Write(const Element& element);
  // Makes everything written so far readable from the file.
  Status Flush();
  Status Close();

 private:
  SnapshotFileWriter(std::unique_ptr<WritableFile> file,
                     SnapshotCompression compression);
  Status WriteRecord(const ByteChunks& record);
  Status WriteCompressed(const Element& element);

  const SnapshotCompression compression_;
  const std::unique_ptr<WritableFile> file_;
  ByteSink sink_;
};

// Not thread-safe; may block.
class SnapshotFileReader {
 public:
  // Returns INVALID_ARGUMENT for versions of the format above 1, and
  // UNIMPLEMENTED for Snappy in version 0.
  static StatusOr<std::unique_ptr<SnapshotFileReader>> Open(
      FileSystem* files, const std::string& path,
      SnapshotCompression compression, int64_t version);
  // Reads the next element, whose components have `types`. Returns false at the
  // end, which is also where the file was cut off, as in stock. Never uses more
  // memory than the file justifies, whatever a length says.
  StatusOr<bool> Read(absl::Span<const DataType> types, Allocator* allocator,
                      Element* out);

 private:
  SnapshotFileReader(std::unique_ptr<RandomAccessFile> file,
                     SnapshotCompression compression);
  // Returns false if the file ends before the end of the record.
  StatusOr<bool> ReadRecord(std::string* record);

  const SnapshotCompression compression_;
  const std::unique_ptr<RandomAccessFile> file_;
  const std::unique_ptr<ByteStream> stream_;
};

}  // namespace millrace::ops

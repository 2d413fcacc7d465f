// The files of a snapshot of a data set, under TensorFlow's names:
//
//   FOLDER/snapshot.metadata           who made it, when, and whether it is all
//   FOLDER/RUN/00000000.snapshot ...   the elements
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "millrace/ops/dataset_files/snapshot_file.h"
#include "millrace/ops/dataset_files/snapshot_metadata.h"

namespace millrace::ops {

struct SnapshotOptions {
  SnapshotCompression compression = SnapshotCompression::kNone;
  uint64_t shard_bytes = uint64_t{10} << 30;  // of a file, about
  // Stand before the paths of the files of elements.
  std::string reader_prefix, writer_prefix;
  bool shuffles = false;  // the order in which files are read
  uint64_t seed = 0;      // of that order; 0: a new order every time
};

// Writes a snapshot. For one thread at a time, which may block.
class SnapshotWriter {
 public:
  // Creates the folders, the metadata and the first file. `metadata` says what
  // the snapshot is of, and its run.
  static StatusOr<std::unique_ptr<SnapshotWriter>> Begin(
      FileSystem* files, std::string folder, SnapshotOptions options,
      const SnapshotMetadata& metadata);
  Status Add(const Element& element);
  // Ends the last file. The snapshot is final then, unless another writer has
  // begun one in the same folder.
  Status Finish();

 private:
  SnapshotWriter(FileSystem* files, std::string folder, std::string run,
                 SnapshotOptions options);
  std::string RunFolder() const;
  std::string PathOfFile() const;
  Status OpenFile();
  StatusOr<bool> FileIsFull();

  FileSystem* const files_;
  const std::string folder_, run_;
  const SnapshotOptions options_;
  std::unique_ptr<SnapshotFileWriter> file_;
  uint64_t index_ = 0;  // of the file
  uint64_t bytes_ = 0;  // of elements of the file, in memory
  double ratio_ = 0;    // of these to the file's bytes; 0: not known yet
};

// Reads a snapshot, one file after the other. For one thread at a time, which
// may block.
class SnapshotReader {
 public:
  // Returns NOT_FOUND if there are no files.
  static StatusOr<std::unique_ptr<SnapshotReader>> Open(
      FileSystem* files, const std::string& folder,
      const SnapshotOptions& options, const SnapshotMetadata& metadata,
      ElementSignature signature);
  // Returns the next elements: up to `most`, and no more once they have some
  // `bytes`; none at the end. An error ends its file, and comes after the
  // elements before it; the next call goes on with the next file.
  StatusOr<std::vector<Element>> Read(size_t most, uint64_t bytes,
                                      Allocator* allocator);

 private:
  SnapshotReader(FileSystem* files, std::vector<std::string> paths,
                 SnapshotCompression compression, int64_t version,
                 ElementSignature signature);
  // Returns false at the end of the last file.
  StatusOr<bool> Next(Allocator* allocator, Element* out);

  FileSystem* const files_;
  const std::vector<std::string> paths_;
  const SnapshotCompression compression_;
  const int64_t version_;
  const ElementSignature signature_;
  size_t next_ = 0;  // index of the next path
  std::unique_ptr<SnapshotFileReader> file_;
  Status error_;  // for the next call
};

// Returns the bytes of an element as stock counts them.
uint64_t SnapshotElementBytes(const Element& element);

}  // namespace millrace::ops

// SnapshotMetadata: what the file snapshot.metadata in a snapshot's folder says
// of it. The file is TensorFlow's message SnapshotMetadataRecord.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "millrace/base/files/file.h"
#include "millrace/base/status.h"

namespace millrace::ops {

struct SnapshotMetadata {
  std::string fingerprint;     // of the data set, in hexadecimal digits
  std::string run;             // the folder of its files
  int64_t created_us = 0;      // since 1970
  int64_t version = 1;         // of the files' format
  std::vector<int64_t> types;  // numbers of DataType, by component
  bool finalized = false;      // all elements are written
};

// Returns nothing if there is no such file. Returns DATA_LOSS for one that is
// not such a message, and PERMISSION_DENIED if the folder may not be read.
StatusOr<std::optional<SnapshotMetadata>> ReadSnapshotMetadata(
    FileSystem* files, const std::string& folder);
// Replaces the file at once, and creates the folder if it is missing.
Status WriteSnapshotMetadata(FileSystem* files, const std::string& folder,
                             const SnapshotMetadata& metadata);

}  // namespace millrace::ops

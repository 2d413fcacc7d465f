// WorkReader: what one kind of reader does with one work unit (a file).
#pragma once

#include <memory>
#include <string>

#include "millrace/base/files/file.h"
#include "millrace/kernel/kernel.h"

namespace millrace::ops {

// One thread at a time.
class WorkReader {
 public:
  struct Outcome {
    bool produced = false;
    bool at_end = false;  // of the work unit
  };

  virtual ~WorkReader() = default;
  // NOT_FOUND and such if there is no such file.
  virtual Status Open(FileSystem* files, const std::string& work) = 0;
  // The next record, or the end, or both. DATA_LOSS for a damaged file.
  virtual StatusOr<Outcome> Next(std::string* key, std::string* value) = 0;
  virtual void Close() {}
  // The state between two work units is all there is.
  virtual bool has_simple_state() const { return false; }
};

struct WorkReaderOptions {
  enum class Kind { kTextLine, kFixedLength, kRecord, kWholeFile, kIdentity };
  Kind kind = Kind::kIdentity;
  int64_t skip_header_lines = 0;
  int64_t header_bytes = 0, record_bytes = 0, footer_bytes = 0, hop_bytes = 0;
  std::string compression;  // "", "ZLIB", "GZIP"

  // Reads the attributes of a node that makes a reader of this kind.
  static StatusOr<WorkReaderOptions> From(const KernelInit& init, Kind kind);
};

// Returns the name of the op that makes readers of this kind: "TextLineReader".
absl::string_view ReaderName(WorkReaderOptions::Kind kind);

std::unique_ptr<WorkReader> MakeWorkReader(const WorkReaderOptions& options);

}  // namespace millrace::ops

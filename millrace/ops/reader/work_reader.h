// WorkReader: reads one work unit (a file) as one kind of reader does.
#pragma once

#include <memory>
#include <string>

#include "millrace/base/files/file.h"
#include "millrace/kernel/kernel.h"

namespace millrace::ops {

// May be used by one thread at a time.
class WorkReader {
 public:
  struct Outcome {
    bool produced = false;
    bool at_end = false;  // the work unit has ended
  };

  virtual ~WorkReader() = default;
  // Opens a file. Returns the file system's error, such as NOT_FOUND, if it
  // cannot be opened.
  virtual Status Open(FileSystem* files, const std::string& work) = 0;
  // Reads the next record, or the end, or both. Returns DATA_LOSS for a damaged
  // file.
  virtual StatusOr<Outcome> Next(std::string* key, std::string* value) = 0;
  virtual void Close() {}
  // Returns whether the state between two work units is complete.
  virtual bool has_simple_state() const { return false; }
};

struct WorkReaderOptions {
  enum class Kind {
    kTextLine,
    kFixedLength,
    kRecord,
    kLmdb,
    kWholeFile,
    kIdentity
  };
  Kind kind = Kind::kIdentity;
  int64_t skip_header_lines = 0;
  int64_t header_bytes = 0, record_bytes = 0, footer_bytes = 0, hop_bytes = 0;
  std::string compression;  // "", "ZLIB" or "GZIP"

  // Reads the attributes of a node that makes a reader of this kind.
  static StatusOr<WorkReaderOptions> From(const KernelInit& init, Kind kind);
};

// Returns the name of the op that makes readers of this kind, such as
// "TextLineReader".
absl::string_view ReaderName(WorkReaderOptions::Kind kind);

std::unique_ptr<WorkReader> MakeWorkReader(const WorkReaderOptions& options);

}  // namespace millrace::ops

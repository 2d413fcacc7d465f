// A summary sink that writes event files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "millrace/base/files/file.h"
#include "millrace/ops/summary_writer/writer_resource.h"

namespace millrace::ops {

struct FileSinkOptions {
  std::string folder;
  std::string suffix;             // of the file's name
  int64_t most_waiting = 10;      // events that are not flushed
  int64_t flush_millis = 120000;  // the longest time to the next flush
};

// Creates a file in the folder that no other writer has. `files` must outlive
// the sink.
StatusOr<std::unique_ptr<SummarySink>> OpenFileSink(
    FileSystem* files, const FileSinkOptions& options);

}  // namespace millrace::ops

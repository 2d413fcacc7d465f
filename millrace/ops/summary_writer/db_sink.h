// A summary sink that writes to a database of TensorBoard.
#pragma once

#include <memory>
#include <string>

#include "millrace/base/files/file.h"
#include "millrace/ops/summary_writer/writer_resource.h"

namespace millrace::ops {

struct DbSinkOptions {
  std::string path;
  std::string experiment, run, user;  // names; empty: none
};

// Opens the database, or makes it. Returns UNIMPLEMENTED if the machine has no
// SQLite. `files` is used during the call only.
StatusOr<std::unique_ptr<SummarySink>> OpenDbSink(FileSystem* files,
                                                  const DbSinkOptions& options);

}  // namespace millrace::ops

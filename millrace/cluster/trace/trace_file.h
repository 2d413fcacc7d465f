// WriteTraceFile: writes a cluster's trace as a file for ui.perfetto.dev.
#pragma once

#include <cstdint>
#include <string>

#include "millrace/base/files/file.h"
#include "millrace/cluster/trace/take_trace.h"

namespace millrace {

// Counts of what a file contains.
struct TraceTotals {
  int64_t tasks = 0;  // with events
  int64_t nodes = 0;
  int64_t transfers = 0;  // between tasks
  int64_t arrows = 0;     // transfers of which both ends are known
  int64_t bytes = 0;      // of the transfers' tensors
};

// Writes a process for each task, with a track for each thread of a device,
// tracks for nodes that wait, for steps, and for both ends of transfers, and an
// arrow from each send to its receive. Times are by the clock of the server
// that was asked, from the first event on. Replaces `path` when all is written.
StatusOr<TraceTotals> WriteTraceFile(const ClusterTrace& trace,
                                     FileSystem* files,
                                     const std::string& path);

}  // namespace millrace

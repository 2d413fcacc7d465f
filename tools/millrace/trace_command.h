// `millrace trace HOST:PORT`.
#pragma once

#include <cstdint>
#include <string>

#include "millrace/cluster/trace/trace_file.h"

namespace millrace {

struct TraceFlags {
  std::string address;
  int steps = 10;
  double timeout = 30;     // seconds
  int64_t max_events = 0;  // of each task; 0: kDefaultTraceEvents
  std::string output = "trace.json";
  bool json = false;
};

// Writes the file and says on stdout what is in it; what is not on stderr,
// where a terminal also sees how far it has come. The exit code: 0 if all steps
// are in the file, 1 if not, or if the server could not be reached, 2 for
// flags that make no sense.
int RunTrace(const TraceFlags& flags);

// One line: what the file has, and what to do with it.
std::string TraceText(const ClusterTrace& trace, const TraceTotals& totals,
                      const std::string& path);
// The same as one object.
std::string TraceJson(const ClusterTrace& trace, const TraceTotals& totals,
                      const std::string& path);
// What the trace lacks, a line each: tasks, events, steps that have not ended
// or, of `wanted`, not begun within `seconds`.
std::string TraceLacks(const ClusterTrace& trace, int wanted, double seconds);

}  // namespace millrace

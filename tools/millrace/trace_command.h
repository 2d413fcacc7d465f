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

// Writes the file and prints its contents on stdout; what it lacks is printed
// on stderr, where a terminal also shows the progress. Returns the exit code: 0
// if all steps are in the file, 1 if not, or if the server could not be
// reached, 2 for invalid flags.
int RunTrace(const TraceFlags& flags);

// Returns one line: the contents of the file, and how to open it.
std::string TraceText(const ClusterTrace& trace, const TraceTotals& totals,
                      const std::string& path);
// The same as one JSON object.
std::string TraceJson(const ClusterTrace& trace, const TraceTotals& totals,
                      const std::string& path);
// Returns a line for each thing that the trace lacks: tasks, events, steps that
// have not ended or, of `wanted`, not begun within `seconds`.
std::string TraceLacks(const ClusterTrace& trace, int wanted, double seconds);

}  // namespace millrace

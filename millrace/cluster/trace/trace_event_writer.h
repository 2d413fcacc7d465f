// TraceEventWriter: writes a file in the JSON form of Chrome's trace event
// format, which ui.perfetto.dev and chrome://tracing open.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/files/file.h"

namespace millrace {

// The track on which a viewer shows something: a thread of a process.
struct TracePlace {
  int32_t process = 0;
  int64_t track = 0;
};

// Writes as it goes and buffers little. Texts may be any bytes; `args` are JSON
// objects. Times are nanoseconds from any fixed point, which the file gives in
// microseconds with three decimals. Not thread-safe.
class TraceEventWriter {
 public:
  // `file` must outlive the writer.
  explicit TraceEventWriter(WritableFile* file);

  // Names a process; viewers sort processes by `rank`.
  void NameProcess(int32_t process, absl::string_view name, int64_t rank);
  void NameTrack(const TracePlace& place, absl::string_view name, int64_t rank);
  // Writes a span of time.
  void Slice(const TracePlace& place, absl::string_view name,
             absl::string_view category, int64_t start_nanos,
             int64_t duration_nanos, absl::string_view args);
  // Writes one end of an arrow: it begins within the slice that is on its track
  // at that time, and ends within another one. Both ends have the same number,
  // name and category.
  void ArrowBegin(int64_t number, const TracePlace& place,
                  absl::string_view name, absl::string_view category,
                  int64_t nanos, absl::string_view args);
  void ArrowEnd(int64_t number, const TracePlace& place, absl::string_view name,
                absl::string_view category, int64_t nanos,
                absl::string_view args);

  // Writes the end of the file, with an object about it as a whole. Returns the
  // first error of all writes. Does not close the file.
  Status Finish(absl::string_view other_data);

 private:
  void Event(absl::string_view phase, const TracePlace& place,
             absl::string_view name);
  void Time(absl::string_view key, int64_t nanos);
  void End(absl::string_view args);
  void Metadata(absl::string_view what, const TracePlace& place,
                absl::string_view args);
  void Arrow(absl::string_view phase, int64_t number, const TracePlace& place,
             absl::string_view name, absl::string_view category, int64_t nanos,
             absl::string_view args);
  void Flush();

  WritableFile* const file_;
  std::string buffer_;
  bool first_ = true;
  Status status_;
};

}  // namespace millrace

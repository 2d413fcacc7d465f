// TraceEventWriter: a file in the JSON form of Chrome's trace event format,
// which ui.perfetto.dev and chrome://tracing open.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/files/file.h"

namespace millrace {

// Where a viewer shows something: a track is a thread of a process.
struct TracePlace {
  int32_t process = 0;
  int64_t track = 0;
};

// Writes as it goes and holds no more than a buffer. Texts may be any bytes;
// `args` are JSON objects. Times are nanoseconds from any one point, which the
// file says in microseconds with three digits. One thread.
class TraceEventWriter {
 public:
  // `file` outlives the writer.
  explicit TraceEventWriter(WritableFile* file);

  // Shown in the order of `rank`.
  void NameProcess(int32_t process, absl::string_view name, int64_t rank);
  void NameTrack(const TracePlace& place, absl::string_view name, int64_t rank);
  // A span of time.
  void Slice(const TracePlace& place, absl::string_view name,
             absl::string_view category, int64_t start_nanos,
             int64_t duration_nanos, absl::string_view args);
  // An arrow: begins within the slice that is at its place then, ends within
  // another one. Both halves have the same number, name and category.
  void ArrowBegin(int64_t number, const TracePlace& place,
                  absl::string_view name, absl::string_view category,
                  int64_t nanos, absl::string_view args);
  void ArrowEnd(int64_t number, const TracePlace& place, absl::string_view name,
                absl::string_view category, int64_t nanos,
                absl::string_view args);

  // The end of the file, with an object about it as a whole. The first error of
  // all writing. Does not close the file.
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

#include "millrace/cluster/trace/trace_event_writer.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "millrace/base/json/json_text.h"

namespace millrace {
namespace {

constexpr size_t kBufferBytes = 64 << 10;

}  // namespace

TraceEventWriter::TraceEventWriter(WritableFile* file) : file_(file) {
  buffer_ = "{\"traceEvents\": [";
}

void TraceEventWriter::Flush() {
  if (status_.ok()) status_ = file_->Append(buffer_);
  buffer_.clear();
}

void TraceEventWriter::Event(absl::string_view phase, const TracePlace& place,
                             absl::string_view name) {
  absl::StrAppend(&buffer_, first_ ? "\n" : ",\n", "{\"ph\": \"", phase,
                  "\", \"pid\": ", place.process, ", \"tid\": ", place.track,
                  ", \"name\": ");
  AppendJsonString(name, &buffer_);
  first_ = false;
}

void TraceEventWriter::Time(absl::string_view key, int64_t nanos) {
  const bool negative = nanos < 0;
  const uint64_t size = negative ? 0 - static_cast<uint64_t>(nanos)
                                 : static_cast<uint64_t>(nanos);
  absl::StrAppendFormat(&buffer_, ", \"%s\": %s%d.%03d", key,
                        negative ? "-" : "", size / 1000, size % 1000);
}

void TraceEventWriter::End(absl::string_view args) {
  if (!args.empty()) absl::StrAppend(&buffer_, ", \"args\": ", args);
  buffer_ += "}";
  if (buffer_.size() >= kBufferBytes) Flush();
}

void TraceEventWriter::Metadata(absl::string_view what, const TracePlace& place,
                                absl::string_view args) {
  Event("M", place, what);
  End(args);
}

void TraceEventWriter::NameProcess(int32_t process, absl::string_view name,
                                   int64_t rank) {
  const TracePlace place{.process = process, .track = 0};
  Metadata("process_name", place, JsonObjectText().Add("name", name).Text());
  Metadata("process_sort_index", place,
           JsonObjectText().Add("sort_index", rank).Text());
}

void TraceEventWriter::NameTrack(const TracePlace& place,
                                 absl::string_view name, int64_t rank) {
  Metadata("thread_name", place, JsonObjectText().Add("name", name).Text());
  Metadata("thread_sort_index", place,
           JsonObjectText().Add("sort_index", rank).Text());
}

void TraceEventWriter::Slice(const TracePlace& place, absl::string_view name,
                             absl::string_view category, int64_t start_nanos,
                             int64_t duration_nanos, absl::string_view args) {
  Event("X", place, name);
  absl::StrAppend(&buffer_, ", \"cat\": \"", category, "\"");
  Time("ts", start_nanos);
  Time("dur", duration_nanos);
  End(args);
}

void TraceEventWriter::Arrow(absl::string_view phase, int64_t number,
                             const TracePlace& place, absl::string_view name,
                             absl::string_view category, int64_t nanos,
                             absl::string_view args) {
  Event(phase, place, name);
  absl::StrAppend(&buffer_, ", \"cat\": \"", category, "\", \"id\": ", number);
  Time("ts", nanos);
  // Otherwise the end would be attached to the next slice that begins there.
  if (phase == "f") buffer_ += ", \"bp\": \"e\"";
  End(args);
}

void TraceEventWriter::ArrowBegin(int64_t number, const TracePlace& place,
                                  absl::string_view name,
                                  absl::string_view category, int64_t nanos,
                                  absl::string_view args) {
  Arrow("s", number, place, name, category, nanos, args);
}

void TraceEventWriter::ArrowEnd(int64_t number, const TracePlace& place,
                                absl::string_view name,
                                absl::string_view category, int64_t nanos,
                                absl::string_view args) {
  Arrow("f", number, place, name, category, nanos, args);
}

Status TraceEventWriter::Finish(absl::string_view other_data) {
  absl::StrAppend(&buffer_,
                  "\n],\n\"displayTimeUnit\": \"ns\",\n\"otherData\": ",
                  other_data.empty() ? "{}" : other_data, "}\n");
  Flush();
  return status_;
}

}  // namespace millrace

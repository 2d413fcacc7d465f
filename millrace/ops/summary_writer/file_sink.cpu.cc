#include "millrace/ops/summary_writer/file_sink.h"

#include <unistd.h>

#include <atomic>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/base/clock.h"
#include "millrace/checkpoint/records/event_writer.h"

namespace millrace::ops {
namespace {

// An open file takes a file descriptor, which others need, too.
constexpr int64_t kMostOpenSinks = 256;
constinit std::atomic<int64_t> open_sinks{0};

class FileSink final : public SummarySink {
 public:
  ~FileSink() override { open_sinks.fetch_sub(1); }

  FileSink(std::unique_ptr<EventWriter> writer, const FileSinkOptions& options)
      : writer_(std::move(writer)), options_(options), flushed_(NowNanos()) {}

  Status AddSummary(int64_t step, absl::string_view summary) override {
    return Added(writer_->AddCheckedSummary(step, summary));
  }
  Status AddGraph(int64_t step, absl::string_view graph) override {
    return Added(writer_->AddGraph(graph, step));
  }
  Status AddEvent(absl::string_view event) override {
    MR_RETURN_IF_ERROR(CheckSerializedEvent(event));
    return Added(writer_->AddCheckedEvent(event));
  }
  Status Flush() override {
    waiting_ = 0;
    flushed_ = NowNanos();
    return writer_->Flush();
  }
  Status Close() override { return writer_->Close(); }

 private:
  Status Added(const Status& status) {
    MR_RETURN_IF_ERROR(status);
    ++waiting_;
    const int64_t millis = (NowNanos() - flushed_) / 1'000'000;
    if (waiting_ <= options_.most_waiting && millis <= options_.flush_millis) {
      return OkStatus();
    }
    return Flush();
  }

  const std::unique_ptr<EventWriter> writer_;
  const FileSinkOptions options_;
  int64_t waiting_ = 0;
  int64_t flushed_;
};

}  // namespace

StatusOr<std::unique_ptr<SummarySink>> OpenFileSink(
    FileSystem* files, const FileSinkOptions& options) {
  static constinit std::atomic<int64_t> next_number{0};
  if (open_sinks.fetch_add(1) >= kMostOpenSinks) {
    open_sinks.fetch_sub(1);
    return ResourceExhausted("too many summary writers are open, ",
                             kMostOpenSinks, " are the most");
  }
  EventWriterOptions event_options;
  event_options.file_suffix = absl::StrCat(
      ".", getpid(), ".", next_number.fetch_add(1), options.suffix);
  // The sink decides when to flush.
  event_options.flush_seconds = std::numeric_limits<double>::infinity();
  auto writer = EventWriter::Open(files, options.folder, event_options);
  if (!writer.ok()) {
    open_sinks.fetch_sub(1);
    return writer.status();
  }
  return std::unique_ptr<SummarySink>(
      std::make_unique<FileSink>(*std::move(writer), options));
}

}  // namespace millrace::ops

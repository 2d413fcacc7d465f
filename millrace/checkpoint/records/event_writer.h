// EventWriter: writes event files, which TensorBoard reads.
//
// An event file is a file of records (record_reader.h), each an Event. The
// first one says "brain.Event:2". Its name is
// PREFIX.out.tfevents.<seconds>.<hostname><suffix>.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/files/file.h"
#include "millrace/base/status.h"
#include "millrace/base/threads/thread.h"
#include "millrace/checkpoint/records/record_writer.h"
#include "millrace/tensor/tensor.h"

namespace tensorflow {
class Event;
}

namespace millrace {

class Histogram;

struct EventWriterOptions {
  std::string file_prefix = "events";
  std::string file_suffix;  // for example ".v2"
  std::string hostname;     // empty: this machine's
  // The Add methods flush if the last flush is longer ago.
  double flush_seconds = 120;
};

// Return DATA_LOSS if the bytes are no serialized message of this kind, and
// RESOURCE_EXHAUSTED if the memory budget has no room for its objects.
Status CheckSerializedSummary(absl::string_view bytes);
Status CheckSerializedEvent(absl::string_view bytes);

enum class SessionLogStatus { kStart = 1, kStop = 2, kCheckpoint = 3 };

// Thread-safe. The first error is sticky.
class EventWriter {
 public:
  // Creates `directory` and a file that no other writer has had.
  static StatusOr<std::unique_ptr<EventWriter>> Open(
      FileSystem* files, const std::string& directory,
      const EventWriterOptions& options = {});
  // Closes the file; call Close() to get errors.
  ~EventWriter();
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  Status AddScalar(int64_t step, absl::string_view tag, float value);
  // Adds any tensor, as summaries of plug-ins and texts are. Returns
  // INVALID_ARGUMENT for one that cannot be encoded.
  Status AddTensor(int64_t step, absl::string_view tag, const Tensor& tensor);
  Status AddHistogram(int64_t step, absl::string_view tag,
                      const Histogram& histogram);
  // Adds a serialized Summary, the output of summary ops. Returns
  // INVALID_ARGUMENT if it is not one.
  Status AddSummaryBytes(int64_t step, absl::string_view summary);
  // Adds a serialized GraphDef or MetaGraphDef.
  Status AddGraph(absl::string_view graph_def, int64_t step = 0);
  Status AddMetaGraph(absl::string_view meta_graph_def);
  Status AddSessionLog(int64_t step, SessionLogStatus status,
                       absl::string_view checkpoint_path = "",
                       absl::string_view message = "");
  // Adds a serialized RunMetadata, shown under `tag`.
  Status AddRunMetadata(int64_t step, absl::string_view tag,
                        absl::string_view run_metadata);
  // Adds a serialized Event, with its own time.
  Status AddEventBytes(absl::string_view event);
  // Add a serialized message that the caller has checked or made.
  Status AddCheckedSummary(int64_t step, absl::string_view summary);
  Status AddCheckedEvent(absl::string_view event) { return Write(event); }

  Status Flush();
  Status Close();
  const std::string& path() const { return path_; }

 private:
  EventWriter() = default;
  Status Write(absl::string_view event);
  Status WriteEvent(const tensorflow::Event& event);

  std::string path_;
  EventWriterOptions options_;
  Mutex mu_;
  std::unique_ptr<WritableFile> file_;     // guarded by mu_
  std::unique_ptr<RecordWriter> records_;  // guarded by mu_
  int64_t flushed_nanos_ = 0;              // guarded by mu_
  bool closed_ = false;                    // guarded by mu_
};

}  // namespace millrace

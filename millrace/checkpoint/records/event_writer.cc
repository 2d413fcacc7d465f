#include "millrace/checkpoint/records/event_writer.h"

#include <unistd.h>

#include "absl/strings/str_format.h"
#include "millrace/base/clock.h"
#include "millrace/base/coding.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/checkpoint/bundle/bundle_index.h"
#include "millrace/checkpoint/parse_proto.h"
#include "millrace/checkpoint/records/histogram.h"
#include "millrace/tensor/wire.h"
#include "proto/event/event.pb.h"

namespace millrace {
namespace {

constexpr char kFileVersion[] = "brain.Event:2";
constexpr char kWriterName[] = "millrace";

std::string Hostname() {
  char name[256] = {};
  if (gethostname(name, sizeof(name) - 1) != 0 || name[0] == '\0')
    return "localhost";
  return name;
}

tensorflow::Event NewEvent(int64_t step) {
  tensorflow::Event event;
  event.set_wall_time(static_cast<double>(WallMicros()) * 1e-6);
  event.set_step(step);
  return event;
}

template <class M>
Status CheckMessage(absl::string_view bytes, const char* words) {
  // Two bytes may be an object of some size.
  constexpr int64_t kObjectBytesPerByte = 64;
  MemoryCharge charge;
  MR_RETURN_IF_ERROR(
      charge.Set(static_cast<int64_t>(bytes.size()) * kObjectBytesPerByte,
                 "a message as objects"));
  M message;
  return ParseFrom(bytes, &message) ? OkStatus() : DataLoss(words);
}

}  // namespace

Status CheckSerializedSummary(absl::string_view bytes) {
  return CheckMessage<tensorflow::Summary>(
      bytes, "Bad tf.compat.v1.Summary binary proto tensor string");
}

Status CheckSerializedEvent(absl::string_view bytes) {
  return CheckMessage<tensorflow::Event>(
      bytes, "Bad tf.Event binary proto tensor string");
}

StatusOr<std::unique_ptr<EventWriter>> EventWriter::Open(
    FileSystem* files, const std::string& directory,
    const EventWriterOptions& options) {
  if (!directory.empty())
    MR_RETURN_IF_ERROR(CreateDirForGood(files, directory));
  const std::string host =
      options.hostname.empty() ? Hostname() : options.hostname;
  const std::string stem =
      absl::StrFormat("%s.out.tfevents.%010d.%s", options.file_prefix,
                      WallMicros() / 1'000'000, host);
  // Two writers in one second, maybe of two processes, would overwrite each
  // other's file. A writer always has a file, which its end closes.
  std::string path;
  StatusOr<std::unique_ptr<WritableFile>> created =
      Status(StatusCode::kAlreadyExists, "");
  for (int n = 0; created.status().code() == StatusCode::kAlreadyExists; ++n) {
    const std::string number = n == 0 ? "" : absl::StrCat(".", n);
    path = JoinPath(directory, absl::StrCat(stem, number, options.file_suffix));
    created = files->NewExclusiveFile(path);
  }
  MR_ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file, std::move(created));
  std::unique_ptr<EventWriter> writer(new EventWriter);
  writer->path_ = std::move(path);
  writer->options_ = std::move(options);
  writer->file_ = std::move(file);
  writer->records_ = std::make_unique<RecordWriter>(writer->file_.get());
  tensorflow::Event first = NewEvent(0);
  first.set_file_version(kFileVersion);
  first.mutable_source_metadata()->set_writer(kWriterName);
  MR_RETURN_IF_ERROR(writer->Write(first.SerializeAsString()));
  MR_RETURN_IF_ERROR(writer->Flush());
  return writer;
}

EventWriter::~EventWriter() { (void)Close(); }

Status EventWriter::Write(absl::string_view event) {
  MutexLock lock(mu_);
  if (closed_) return FailedPrecondition("Event file is closed: ", path_);
  MR_RETURN_IF_ERROR(records_->Write(event));
  const int64_t now = NowNanos();
  if (static_cast<double>(now - flushed_nanos_) * 1e-9 <
      options_.flush_seconds) {
    return OkStatus();
  }
  flushed_nanos_ = now;
  return records_->Flush();
}

Status EventWriter::AddScalar(int64_t step, absl::string_view tag,
                              float value) {
  tensorflow::Event event = NewEvent(step);
  auto* entry = event.mutable_summary()->add_value();
  entry->set_tag(std::string(tag));
  entry->set_simple_value(value);
  return WriteEvent(event);
}

Status EventWriter::AddTensor(int64_t step, absl::string_view tag,
                              const Tensor& tensor) {
  MR_ASSIGN_OR_RETURN(const ByteChunks bytes, EncodeTensor(tensor));
  tensorflow::Event event = NewEvent(step);
  auto* entry = event.mutable_summary()->add_value();
  entry->set_tag(std::string(tag));
  if (!ParseFrom(bytes.Flatten(), entry->mutable_tensor())) {
    return Internal("Tensor does not encode");
  }
  return WriteEvent(event);
}

Status EventWriter::AddHistogram(int64_t step, absl::string_view tag,
                                 const Histogram& histogram) {
  tensorflow::Event event = NewEvent(step);
  auto* entry = event.mutable_summary()->add_value();
  entry->set_tag(std::string(tag));
  if (!entry->mutable_histo()->ParseFromString(histogram.Encode())) {
    return Internal("Histogram does not encode");
  }
  return WriteEvent(event);
}

Status EventWriter::WriteEvent(const tensorflow::Event& event) {
  std::string bytes;
  if (event.SerializeToString(&bytes)) return Write(bytes);
  return InvalidArgument("An event has ", event.ByteSizeLong(),
                         " bytes, 2 GiB and more cannot be encoded");
}

Status EventWriter::AddSummaryBytes(int64_t step, absl::string_view summary) {
  tensorflow::Event event = NewEvent(step);
  if (!ParseFrom(summary, event.mutable_summary())) {
    return InvalidArgument("Not a serialized Summary: ", summary.size(),
                           " bytes");
  }
  return WriteEvent(event);
}

Status EventWriter::AddCheckedSummary(int64_t step, absl::string_view summary) {
  constexpr char kSummaryKey = 5 << 3 | 2;
  std::string event = NewEvent(step).SerializeAsString();
  event.push_back(kSummaryKey);
  PutLengthPrefixed(&event, summary);
  return Write(event);
}

Status EventWriter::AddGraph(absl::string_view graph_def, int64_t step) {
  tensorflow::Event event = NewEvent(step);
  event.set_graph_def(std::string(graph_def));
  return WriteEvent(event);
}

Status EventWriter::AddMetaGraph(absl::string_view meta_graph_def) {
  tensorflow::Event event = NewEvent(0);
  event.set_meta_graph_def(std::string(meta_graph_def));
  return WriteEvent(event);
}

Status EventWriter::AddSessionLog(int64_t step, SessionLogStatus status,
                                  absl::string_view checkpoint_path,
                                  absl::string_view message) {
  tensorflow::Event event = NewEvent(step);
  auto* log = event.mutable_session_log();
  log->set_status(static_cast<tensorflow::SessionLog::SessionStatus>(status));
  log->set_checkpoint_path(std::string(checkpoint_path));
  log->set_msg(std::string(message));
  return WriteEvent(event);
}

Status EventWriter::AddRunMetadata(int64_t step, absl::string_view tag,
                                   absl::string_view run_metadata) {
  tensorflow::Event event = NewEvent(step);
  event.mutable_tagged_run_metadata()->set_tag(std::string(tag));
  event.mutable_tagged_run_metadata()->set_run_metadata(
      std::string(run_metadata));
  return WriteEvent(event);
}

Status EventWriter::AddEventBytes(absl::string_view event) {
  tensorflow::Event parsed;
  if (!ParseFrom(event, &parsed)) {
    return InvalidArgument("Not a serialized Event: ", event.size(), " bytes");
  }
  return Write(event);
}

Status EventWriter::Flush() {
  MutexLock lock(mu_);
  if (closed_) return OkStatus();
  flushed_nanos_ = NowNanos();
  return records_->Flush();
}

Status EventWriter::Close() {
  MutexLock lock(mu_);
  if (closed_) return OkStatus();
  closed_ = true;
  Status status = records_->Close();
  UpdateStatus(status, file_->Close());
  return status;
}

}  // namespace millrace

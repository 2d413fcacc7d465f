#include "millrace/ops/summary_writer/writer_resource.h"

namespace millrace::ops {

Status SummaryWriterResource::Open(Opener open) {
  MutexLock lock(mu_);
  if (sink_ != nullptr) return OkStatus();
  MR_ASSIGN_OR_RETURN(sink_, open());
  return OkStatus();
}

Status SummaryWriterResource::Use(absl::FunctionRef<Status(SummarySink&)> f) {
  MutexLock lock(mu_);
  if (sink_ == nullptr) return NotFound("The summary writer is not open.");
  return f(*sink_);
}

Status SummaryWriterResource::Close() {
  MutexLock lock(mu_);
  if (sink_ == nullptr) return OkStatus();
  const std::unique_ptr<SummarySink> sink = std::move(sink_);
  return sink->Close();
}

}  // namespace millrace::ops

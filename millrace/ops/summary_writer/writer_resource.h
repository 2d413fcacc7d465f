// SummaryWriterResource: the resource that summaries are written to.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "millrace/base/threads/thread.h"
#include "millrace/kernel/resource.h"

namespace millrace::ops {

// Takes what is written, such as an event file. For one thread at a time; its
// methods may wait for files.
class SummarySink {
 public:
  virtual ~SummarySink() = default;
  // Adds a serialized Summary, which the caller has checked or made.
  virtual Status AddSummary(int64_t step, absl::string_view summary) = 0;
  // Adds a serialized GraphDef, which the caller has checked.
  virtual Status AddGraph(int64_t step, absl::string_view graph) = 0;
  // Adds a serialized Event, with its own time. Returns DATA_LOSS if it is
  // none.
  virtual Status AddEvent(absl::string_view event) = 0;
  virtual Status Flush() = 0;
  virtual Status Close() = 0;
};

class SummaryWriterResource final : public Resource {
 public:
  static constexpr absl::string_view kTypeName = "SummaryWriter";
  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override { return "summary writer"; }

  using Opener = absl::FunctionRef<StatusOr<std::unique_ptr<SummarySink>>()>;

  // Opens what is written to, unless that was done before.
  Status Open(Opener open);
  // Calls `f` while nobody else writes. Returns NOT_FOUND if nothing is open.
  Status Use(absl::FunctionRef<Status(SummarySink&)> f);
  // Closes what is open. Returns OK if nothing is.
  Status Close();

 private:
  Mutex mu_;
  std::unique_ptr<SummarySink> sink_;  // guarded by mu_
};

}  // namespace millrace::ops

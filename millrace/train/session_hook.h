// SessionHook: what a program does along with the runs of a MonitoredSession.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "millrace/checkpoint/records/event_writer.h"
#include "millrace/client/session.h"
#include "millrace/train/coordinator.h"

namespace millrace::train {

// What hooks see of a run that has ended.
struct HookContext {
  Session& session;
  Coordinator& coordinator;
  bool is_chief = false;
  int64_t global_step = 0;
  absl::Span<const Tensor> fetches;  // of the run, in its order
};

// Called by the thread that runs the session. An error ends the run that the
// hook was called after; ABORTED and UNAVAILABLE make the session anew.
class SessionHook {
 public:
  virtual ~SessionHook() = default;
  // A session is ready: the first one, and each one after a recovery.
  virtual Status AfterCreate(HookContext&) { return OkStatus(); }
  // After each run that tells the global step.
  virtual Status AfterRun(HookContext&) { return OkStatus(); }
  // Before the session closes, unless it was lost and not made again.
  virtual Status AtEnd(HookContext&) { return OkStatus(); }
};

// Asks to stop once the global step is reached.
class StopAtStepHook final : public SessionHook {
 public:
  explicit StopAtStepHook(int64_t last_step) : last_step_(last_step) {}
  Status AfterCreate(HookContext& context) override;
  Status AfterRun(HookContext& context) override;

 private:
  const int64_t last_step_;
};

// Logs scalar fetches every so many seconds.
class LoggingHook final : public SessionHook {
 public:
  // `names` are those of the run's first fetches; "" leaves one out.
  LoggingHook(std::vector<std::string> names, double every_seconds);
  Status AfterRun(HookContext& context) override;

 private:
  const std::vector<std::string> names_;
  const int64_t every_nanos_;
  int64_t next_nanos_ = 0;
};

// The chief writes scalar fetches to an event file, every so many global
// steps, and how many steps a second there were.
class SummaryHook final : public SessionHook {
 public:
  // `writer` outlives the hook. `names` as for LoggingHook.
  SummaryHook(EventWriter* writer, std::vector<std::string> names,
              int64_t every_steps);
  Status AfterRun(HookContext& context) override;
  Status AtEnd(HookContext& context) override;

 private:
  EventWriter* const writer_;
  const std::vector<std::string> names_;
  const int64_t every_steps_;
  int64_t last_step_ = -1;
  int64_t last_nanos_ = 0;
};

// The number in a scalar of a real type; INVALID_ARGUMENT for anything else.
StatusOr<double> ScalarValue(const Tensor& tensor);

}  // namespace millrace::train

// SessionHook: code that runs along with the runs of a MonitoredSession.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "millrace/checkpoint/records/event_writer.h"
#include "millrace/client/session.h"
#include "millrace/train/coordinator.h"

namespace millrace::train {

// The run that has ended, as hooks see it.
struct HookContext {
  Session& session;
  Coordinator& coordinator;
  bool is_chief = false;
  int64_t global_step = 0;
  absl::Span<const Tensor> fetches;  // of the run, in its order
  // Ends the session's run in progress, and later ones, when it is cancelled:
  // ABORTED and UNAVAILABLE lead to a new session. Hooks whose threads find out
  // that a run waits in vain cancel it. Null while the session closes.
  std::shared_ptr<CancelScope> runs;
};

// Called by the thread that runs the session. An error ends the run after which
// the hook was called; ABORTED and UNAVAILABLE lead to a new session, but not
// those of AfterSave, which may come from what the hook does beside it.
// OUT_OF_RANGE and CANCELLED after a run or a checkpoint are reported as
// INTERNAL: no hook ends the input. A hook that wants no more runs requests a
// stop.
class SessionHook {
 public:
  virtual ~SessionHook() = default;
  // Called when a session is ready: the first one, and each one after a
  // recovery.
  virtual Status AfterCreate(HookContext&) { return OkStatus(); }
  // Called after each run that returns the global step.
  virtual Status AfterRun(HookContext&) { return OkStatus(); }
  // Called after each checkpoint that is due after a run, that SaveNow is asked
  // for, or that ends the session; not after the one with which it begins.
  virtual Status AfterSave(HookContext&, const std::string& /*checkpoint*/) {
    return OkStatus();
  }
  // Called before the session closes, unless it was lost and not created again.
  virtual Status AtEnd(HookContext&) { return OkStatus(); }
};

// Requests a stop once the global step is reached.
class StopAtStepHook final : public SessionHook {
 public:
  explicit StopAtStepHook(int64_t last_step) : last_step_(last_step) {}
  Status AfterCreate(HookContext& context) override;
  Status AfterRun(HookContext& context) override;

 private:
  const int64_t last_step_;
};

// Requests a stop after so many global steps from where the first session
// began; a session that is made again does not begin anew.
class StopAfterStepsHook final : public SessionHook {
 public:
  explicit StopAfterStepsHook(int64_t steps) : steps_(steps) {}
  Status AfterCreate(HookContext& context) override;
  Status AfterRun(HookContext& context) override;

 private:
  const int64_t steps_;
  std::optional<int64_t> last_step_;
};

// Ends the run whose scalar fetch `fetch` is not a number: FAILED_PRECONDITION
// that names the step. As the first hook it keeps such a step from being saved.
class NanHook final : public SessionHook {
 public:
  NanHook(size_t fetch, std::string name)
      : fetch_(fetch), name_(std::move(name)) {}
  Status AfterRun(HookContext& context) override;

 private:
  const size_t fetch_;
  const std::string name_;  // for the message
};

// Logs scalar fetches at an interval in seconds.
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

// If this is the chief, writes scalar fetches and the steps per second to an
// event file, at an interval in global steps.
class SummaryHook final : public SessionHook {
 public:
  // `writer` must outlive the hook. `names` as for LoggingHook.
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

// Returns the number in a scalar of a real type; INVALID_ARGUMENT for anything
// else.
StatusOr<double> ScalarValue(const Tensor& tensor);

}  // namespace millrace::train

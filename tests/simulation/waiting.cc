#include "tests/simulation/waiting.h"

#include "millrace/base/sim/sim.h"

namespace millrace::sim {
namespace {

constexpr int64_t kLongMs = 20'000;

const char* const kEnds[] = {"opening its gate", "a cancel", "its timeout",
                             "the end of its session"};

}  // namespace

Status Waiting::Step(bool calm) {
  const auto end = static_cast<End>(SimRandom(4));
  const auto goal = static_cast<float>(++number_);
  // The gate has a value, different from the one for which the step waits.
  MR_RETURN_IF_ERROR(
      connection_.Run({{ops_.gate_value, -goal}}, {}, {ops_.set_gate})
          .status());
  MR_ASSIGN_OR_RETURN(const std::shared_ptr<Session> session,
                      connection_.session());
  CancelScope cancel;
  RunLimits limits;
  limits.timeout_ms = end == End::kTimeout
                          ? 200 + static_cast<int64_t>(SimRandom(600))
                          : kLongMs;
  limits.cancel = &cancel;
  Status waited;
  int64_t ended_nanos = 0;
  Thread waiter("waiter", [&] {
    waited =
        connection_
            .RunIn(*session, {{ops_.goal, goal}}, {ops_.passed}, {}, limits)
            .status();
    ended_nanos = NowNanos();
  });
  SleepUntil(Deadline::AfterMillis(static_cast<int64_t>(SimRandom(400))));
  Status status;
  bool opened = false;
  const int64_t start = NowNanos();
  switch (end) {
    case End::kOpened:
      status = connection_
                   .RunIn(*session, {{ops_.gate_value, goal}}, {},
                          {ops_.set_gate}, {})
                   .status();
      opened = status.ok();
      if (!opened) cancel.Cancel(Cancelled("the gate is not opened"));
      break;
    case End::kCancelled:
      cancel.Cancel(Cancelled("the client has changed its mind"));
      break;
    case End::kTimeout:
      break;
    case End::kClosed:
      connection_.Drop();
      session->Close().IgnoreError();
      break;
  }
  waiter.Join();
  const int64_t took_ms = (ended_nanos - start) / 1'000'000;
  if (calm) CheckOutcome(end, waited, took_ms, opened);
  const bool asked_for = end != End::kOpened;
  if (took_ms > kLongMs / 2 && asked_for) {
    connection_.Fail(Internal("late: a step that waits took ", took_ms,
                              " ms to end by ", kEnds[static_cast<int>(end)],
                              ": ", waited.ToString()));
  }
  if (!status.ok()) return status;
  return asked_for || IsStateLost(waited) ? OkStatus() : waited;
}

void Waiting::CheckOutcome(End end, const Status& status, int64_t took_ms,
                           bool opened) {
  const StatusCode code = status.code();
  bool expected = false;
  switch (end) {
    case End::kOpened:
      expected = opened && status.ok();
      break;
    case End::kCancelled:
      expected = code == StatusCode::kCancelled;
      break;
    case End::kClosed:
      // Or it came too late to begin.
      expected = code == StatusCode::kCancelled ||
                 code == StatusCode::kFailedPrecondition;
      break;
    case End::kTimeout:
      expected = code == StatusCode::kDeadlineExceeded;
      break;
  }
  if (!expected) {
    connection_.Fail(
        Internal("wait: after ", took_ms, " ms a step that waits, ended by ",
                 kEnds[static_cast<int>(end)], ", gave ", status.ToString()));
  }
}

}  // namespace millrace::sim

#include "tests/simulation/connection.h"

#include "absl/strings/match.h"

namespace millrace::sim {

bool IsRecoverable(const Status& status) {
  switch (status.code()) {
    case StatusCode::kAborted:
    case StatusCode::kUnavailable:
    case StatusCode::kDeadlineExceeded:
    case StatusCode::kCancelled:
      return true;
    default:
      return false;
  }
}

bool IsStateLost(const Status& status) {
  return status.code() == StatusCode::kFailedPrecondition ||
         status.code() == StatusCode::kNotFound;
}

Connection::Connection(SimCluster& cluster, Verdict& verdict, std::string name,
                       const ClientOps& ops)
    : cluster_(cluster), verdict_(verdict), name_(std::move(name)), ops_(ops) {}

void Connection::Fail(const Status& status) {
  verdict_.Fail(Prefix(absl::StrCat(name_, ": "), status));
}

SessionOptions Connection::options() const {
  SessionOptions options;
  options.target = cluster_.worker_target(ops_.worker);
  options.config.operation_timeout_ms = kRunTimeoutMs;
  options.transport = cluster_.network().Endpoint(name_);
  return options;
}

StatusOr<std::shared_ptr<Session>> Connection::session() {
  if (session_ != nullptr) return session_;
  auto session = std::make_shared<Session>(ops_.scope, options());
  const int64_t start = NowNanos();
  const Status made = session->Extend();
  const int64_t took_ms = (NowNanos() - start) / 1'000'000;
  if (took_ms > kRunTimeoutMs + kGraceMs) {
    Fail(Internal("late: making a session took ", took_ms, " ms, allowed were ",
                  kRunTimeoutMs, ": ", made.message()));
  }
  if (!made.ok() && !IsRecoverable(made)) {
    Fail(Prefix("a session cannot be made for a reason that does not pass: ",
                made));
  }
  MR_RETURN_IF_ERROR(made);
  session_ = std::move(session);
  return session_;
}

StatusOr<std::vector<Tensor>> Connection::Run(
    const std::vector<Feed>& feeds, const std::vector<Output>& fetches,
    const std::vector<ControlInput>& targets, const RunLimits& limits) {
  MR_ASSIGN_OR_RETURN(const std::shared_ptr<Session> session, this->session());
  return RunIn(*session, feeds, fetches, targets, limits);
}

StatusOr<std::vector<Tensor>> Connection::RunIn(
    Session& session, const std::vector<Feed>& feeds,
    const std::vector<Output>& fetches,
    const std::vector<ControlInput>& targets, const RunLimits& limits) {
  ++steps_;
  RunContext context;
  context.options.timeout_ms = limits.timeout_ms;
  context.cancel = limits.cancel;
  const int64_t start = NowNanos();
  StatusOr<std::vector<Tensor>> got =
      session.Run(feeds, fetches, targets, context);
  const int64_t took_ms = (NowNanos() - start) / 1'000'000;
  const int64_t max_ms =
      limits.timeout_ms > 0 ? limits.timeout_ms + kGraceMs : kMaxRunMs;
  if (took_ms > max_ms) {
    Fail(Internal("late: a run took ", took_ms, " ms, allowed were ", max_ms,
                  ": ", got.ok() ? "OK" : got.status().ToString()));
  }
  const Status& status = got.status();
  if (!status.ok() && !IsRecoverable(status) && !IsStateLost(status) &&
      status.code() != StatusCode::kResourceExhausted &&
      !(limits.may_end && status.code() == StatusCode::kOutOfRange)) {
    Fail(Prefix("a run failed with an error that clients cannot meet: ",
                status));
  }
  return got;
}

Status Connection::Timed(absl::FunctionRef<Status()> call) {
  ++steps_;
  const int64_t start = NowNanos();
  Status status = call();
  const int64_t took_ms = (NowNanos() - start) / 1'000'000;
  if (took_ms > kMaxRunMs) {
    Fail(Internal("late: a run took ", took_ms, " ms, allowed were ", kMaxRunMs,
                  ": ", status.ToString()));
  }
  return status;
}

}  // namespace millrace::sim

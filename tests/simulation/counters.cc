#include "tests/simulation/counters.h"

#include <memory>
#include <vector>

#include "millrace/client/ops.h"
#include "millrace/client/session.h"

namespace millrace::sim {
namespace {

constexpr int64_t kRunTimeoutMs = 10'000;
// A run may end so long after its deadline.
constexpr int64_t kGraceNanos = 1'000'000'000;

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

// One client's counter on one ps.
struct Counter {
  Output variable, initialized, read;
  Output add;    // adds what the worker computed
  Output reset;  // gives the variable its first value
  double acknowledged = 0;
  double unknown = 0;  // increments that may have happened
};

class Client {
 public:
  Client(SimCluster& cluster, int index, int num_ps)
      : cluster_(cluster), index_(index), scope_(Scope::NewRoot(Ops())) {
    for (int ps = 0; ps < num_ps; ++ps) counters_.push_back(Build(ps));
  }

  CounterResult Run(Deadline faults_end, int calm_steps, Deadline limit) {
    int calm = 0;
    while (result_.status.ok() && calm < calm_steps) {
      Counter& counter = counters_[SimRandom(counters_.size())];
      const Status status = Step(counter);
      if (status.ok()) {
        if (faults_end.expired()) ++calm;
        continue;
      }
      calm = 0;
      if (!IsRecoverable(status)) {
        Fail(Prefix("an error that no client recovers from: ", status));
      } else if (limit.expired()) {
        Fail(Prefix("no progress after the faults ended: ", status));
      }
      session_.reset();
      SleepUntil(
          Deadline::AfterMillis(100 + static_cast<int64_t>(SimRandom(400))));
    }
    session_.reset();
    return result_;
  }

 private:
  Counter Build(int ps) {
    Counter c;
    const Scope on_ps = scope_.WithDevice(absl::StrCat("/job:ps/task:", ps));
    const Scope here =
        scope_.WithDevice(absl::StrCat("/job:worker/task:", index_));
    c.variable = ops::VariableV2(
        on_ps.WithOpName(absl::StrCat("counter_", index_, "_", ps)),
        PartialShape({}), DataType::kFloat);
    c.initialized = ops::IsVariableInitialized(on_ps, c.variable);
    c.read = ops::Identity(on_ps, c.variable);
    c.reset = ops::Assign(on_ps, c.variable, ops::Const(on_ps, 0.0f));
    // The increment travels from the worker.
    const Output one = ops::Square(here, ops::Const(here, 1.0f));
    c.add = ops::AssignAdd(on_ps, c.variable, one);
    return c;
  }

  void Fail(Status status) {
    if (result_.status.ok()) result_.status = std::move(status);
  }

  // Runs one fetch; it must return by its deadline.
  StatusOr<Tensor> Fetch(const Output& output) {
    if (session_ == nullptr) {
      SessionOptions options;
      options.target = cluster_.worker_target(index_);
      options.config.operation_timeout_ms = kRunTimeoutMs;
      options.transport =
          cluster_.network().Endpoint(absl::StrCat("client", index_));
      session_ = std::make_unique<Session>(scope_, options);
    }
    ++result_.steps;
    const int64_t start = NowNanos();
    StatusOr<std::vector<Tensor>> got = session_->Run({output});
    const int64_t took = NowNanos() - start;
    // A new session may take one deadline to be made and one to run.
    if (took > 2 * kRunTimeoutMs * 1'000'000 + kGraceNanos) {
      Fail(Internal("a run took ", took / 1'000'000, " ms, its deadline was ",
                    kRunTimeoutMs, ": ", got.status().message()));
    }
    MR_RETURN_IF_ERROR(got.status());
    return (*got)[0];
  }

  Status Step(Counter& c) {
    StatusOr<Tensor> sum = Fetch(c.add);
    if (sum.ok()) {
      c.acknowledged += 1;
      ++result_.acknowledged;
      return Check(c, sum->scalar<float>());
    }
    if (sum.status().code() == StatusCode::kFailedPrecondition) {
      return Initialize(c);
    }
    c.unknown += 1;
    return sum.status();
  }

  // The ps has no value: it is new, so nothing of before is in it.
  Status Initialize(Counter& c) {
    MR_ASSIGN(const Tensor initialized, Fetch(c.initialized));
    if (initialized.scalar<bool>()) return OkStatus();
    if (c.acknowledged > 0) ++result_.lost_state;
    // Unknown ones may still be on their way.
    c.acknowledged = 0;
    const Status status = Fetch(c.reset).status();
    // A reset that is late must not wipe out what is counted after it, so a
    // client that does not know waits until it cannot come any more.
    if (!status.ok()) SleepUntil(Deadline::AfterMillis(2 * kRunTimeoutMs));
    return status;
  }

  Status Check(const Counter& c, double value) {
    if (value < c.acknowledged || value > c.acknowledged + c.unknown) {
      Fail(Internal("client ", index_, ": the variable is ", value, " after ",
                    c.acknowledged, " acknowledged and ", c.unknown,
                    " unknown increments"));
    }
    return OkStatus();
  }

  SimCluster& cluster_;
  const int index_;
  const Scope scope_;
  std::vector<Counter> counters_;
  std::unique_ptr<Session> session_;
  CounterResult result_;
};

}  // namespace

CounterResult Count(SimCluster& cluster, int index, int num_ps,
                    Deadline faults_end, int calm_steps, Deadline limit) {
  return Client(cluster, index, num_ps).Run(faults_end, calm_steps, limit);
}

}  // namespace millrace::sim

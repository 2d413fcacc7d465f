#include "tests/simulation/client.h"

#include "millrace/base/sim/sim.h"

namespace millrace::sim {
namespace {

void SleepMillis(int64_t least, int64_t more) {
  SleepUntil(Deadline::AfterMillis(
      least + static_cast<int64_t>(SimRandom(static_cast<uint64_t>(more)))));
}

}  // namespace

Client::Client(SimCluster& cluster, Verdict& verdict, int index)
    : cluster_(cluster),
      verdict_(verdict),
      ops_(index, cluster.num_ps(), cluster.num_tasks() - cluster.num_ps()),
      connection_(cluster, verdict, absl::StrCat("client", index), ops_),
      counting_(connection_, ops_),
      queueing_(connection_, ops_),
      training_(connection_, ops_),
      waiting_(connection_, ops_) {}

void Client::RunInTrouble(const std::function<bool()>& over) {
  while (verdict_.ok() && !over()) {
    const int64_t before = steps();
    const Status status = Step(/*calm=*/false);
    if (!status.ok()) {
      connection_.Drop();
      SleepMillis(50, 300);
    } else if (steps() == before) {
      SleepMillis(500, 1000);  // there was nothing to do
    }
  }
}

void Client::RunInPeace(int calm_steps, int64_t min_steps, Deadline limit) {
  queueing_.Rest();
  int calm = 0;
  while (verdict_.ok() && (calm < calm_steps || steps() < min_steps)) {
    const int64_t before = steps();
    // The first ones still see the effects of the faults.
    const Status status = Step(/*calm=*/calm > 2);
    if (status.ok()) {
      if (steps() > before) {
        ++calm;
      } else {
        SleepMillis(500, 1000);
      }
      continue;
    }
    // The loss of state by a fault may be noticed late.
    if (calm > 2 && !IsStateLost(status)) {
      connection_.Fail(Prefix(
          absl::StrCat("peace: after ", calm, " steps without a fault: "),
          status));
    }
    calm = 0;
    connection_.Drop();
    SleepMillis(50, 300);
    if (limit.expired()) {
      connection_.Fail(
          Prefix("stuck: no progress after the faults ended: ", status));
    }
  }
}

void Client::Finish(Deadline limit) {
  while (verdict_.ok() && !queueing_.finished()) {
    const Status status = queueing_.Finish();
    if (status.ok()) continue;
    connection_.Drop();
    SleepMillis(50, 300);
    if (limit.expired()) {
      connection_.Fail(Prefix("stuck: the queues cannot be emptied: ", status));
    }
  }
}

Status Client::Step(bool calm) {
  const uint64_t which = SimRandom(100);
  if (which < 48) return counting_.Step();
  if (which < 60) return queueing_.Step(calm);
  if (which < 70) return training_.Train();
  if (which < 78) return training_.Snapshot();
  if (which < 85) return training_.Save();
  if (which < 92) return waiting_.Step(calm);
  if (which < 94) return Break(calm);
  if (which < 96) return ResetContainer();
  connection_.Drop();
  return OkStatus();
}

Status Client::Break(bool calm) {
  MR_ASSIGN_OR_RETURN(const std::shared_ptr<Session> session,
                      connection_.session());
  Status status;
  const Status in_time = connection_.Timed([&] {
    status = session
                 ->Run({{ops_.vector, Tensor::Zeros(DataType::kFloat, {3})}},
                       {ops_.broken})
                 .status();
    return status;
  });
  if (IsStateLost(status) || status.code() == StatusCode::kInvalidArgument) {
    return OkStatus();
  }
  if (calm || !IsRecoverable(status)) {
    connection_.Fail(Prefix("wait: a step that must fail ended otherwise: ",
                            status.ok() ? Internal("OK") : status));
  }
  return in_time;
}

Status Client::ResetContainer() {
  const auto value = static_cast<float>(++number_);
  MR_RETURN_IF_ERROR(
      connection_.Run({{ops_.scratch_value, value}}, {}, {ops_.set_scratch})
          .status());
  // The master knows the ps, since it has just run a step there. Unless it
  // restarts meanwhile it must reach it.
  const int master = cluster_.worker(ops_.worker);
  const int life = cluster_.life(master);
  const Status reset = connection_.Timed(
      [&] { return Session::Reset(connection_.options(), {ops_.container}); });
  if (!reset.ok() && !IsRecoverable(reset)) {
    connection_.Fail(
        Prefix("a reset failed with an error that clients cannot "
               "meet: ",
               reset));
  }
  MR_RETURN_IF_ERROR(reset);
  ++resets_;
  connection_.Drop();  // the server has ended it
  const auto got = connection_.Run({}, {ops_.scratch});
  if (got.ok() && (*got)[0].scalar<float>() == value &&
      cluster_.life(master) == life) {
    connection_.Fail(
        Internal("reset: a variable has a value after a reset of its "
                 "container was acknowledged"));
  }
  return IsStateLost(got.status()) ? OkStatus() : got.status();
}

}  // namespace millrace::sim

#include "tests/simulation/counting.h"

#include "millrace/base/sim/sim.h"

namespace millrace::sim {

Counting::Counting(Connection& connection, const ClientOps& ops)
    : connection_(connection), ops_(ops) {
  for (size_t ps = 0; ps < ops.counters.size(); ++ps) {
    counters_.emplace_back(connection, ops.counters[ps].variable,
                           static_cast<int>(ps));
  }
}

Status Counting::Step() {
  const int which = static_cast<int>(SimRandom(counters_.size()));
  Status status;
  const CounterOps& c = ops_.counters[which];
  switch (SimRandom(16)) {
    case 0:
    case 1:
      return Add({0, 1}, [&] {
        return connection_.Run({},
                               {ops_.counters[0].add, ops_.counters[1].add});
      });
    case 2:
    case 3:
      return Add({which}, [&] { return connection_.Run({}, {c.add_of_both}); });
    case 4:
      return Add({which}, [&] {
        return connection_.Run({{ops_.fed, 1.0f}}, {c.add_fed});
      });
    case 5:
      return Add({which}, [&] { return RunCallable(which); });
    case 6:
      return InSecondSession(which);
    case 7:
    case 8: {
      if (!counters_[which].Usable(&status)) return status;
      MR_ASSIGN_OR_RETURN(const auto value,
                          connection_.Run({}, {c.variable.value()}));
      counters_[which].Check(value[0], "the value");
      return OkStatus();
    }
    default:
      return Add({which}, [&] { return connection_.Run({}, {c.add}); });
  }
}

Status Counting::Add(const std::vector<int>& which,
                     absl::FunctionRef<StatusOr<std::vector<Tensor>>()> run) {
  for (const int i : which) {
    Status status;
    if (!counters_[i].Usable(&status)) return status;
  }
  const StatusOr<std::vector<Tensor>> sums = run();
  if (sums.ok()) {
    for (size_t i = 0; i < which.size(); ++i) {
      counters_[which[i]].account().Acknowledge();
      counters_[which[i]].Check((*sums)[i], "the sum");
      ++acknowledged_;
    }
    return OkStatus();
  }
  const bool lost = IsStateLost(sums.status());
  for (const int i : which) {
    // If a single counter has no value, nothing was added to it.
    if (!lost || which.size() > 1)
      counters_[i].account().Doubt(counters_[i].life());
  }
  if (!lost) return sums.status();
  ++lost_state_;
  for (const int i : which) MR_RETURN_IF_ERROR(counters_[i].Initialize());
  return OkStatus();
}

StatusOr<std::vector<Tensor>> Counting::RunCallable(int which) {
  MR_ASSIGN_OR_RETURN(const std::shared_ptr<Session> session,
                      connection_.session());
  StatusOr<std::vector<Tensor>> sum = Internal("not run");
  const Status status = connection_.Timed([&]() -> Status {
    MR_ASSIGN_OR_RETURN(
        const Callable add,
        session->Prepare({ops_.fed}, {ops_.counters[which].add_fed}));
    sum = add.Run({Tensor::Scalar(1.0f)});
    return sum.status();
  });
  MR_RETURN_IF_ERROR(status);
  return sum;
}

Status Counting::InSecondSession(int which) {
  TrackedVariable& counter = counters_[which];
  Status status;
  if (!counter.Usable(&status)) return status;
  Session session(ops_.scope, connection_.options());
  MR_RETURN_IF_ERROR(session.Extend());
  const auto sum =
      connection_.RunIn(session, {}, {ops_.counters[which].add}, {}, {});
  if (sum.ok()) {
    counter.account().Acknowledge();
    counter.Check((*sum)[0], "the sum");
    ++acknowledged_;
  } else if (IsStateLost(sum.status())) {
    MR_RETURN_IF_ERROR(counter.Initialize());
  } else {
    counter.account().Doubt(counter.life());
  }
  // The status of closing is ignored: the master may be gone.
  session.Close().IgnoreError();
  if (session.Run({ops_.counters[which].variable.value()}).ok()) {
    connection_.Fail(Internal("closed: a closed session has run a step"));
  }
  return IsStateLost(sum.status()) ? OkStatus() : sum.status();
}

}  // namespace millrace::sim

#include "tests/simulation/doomed_client.h"

namespace millrace::sim {
namespace {

constexpr int kTries = 5;
// No queue ever has this many elements.
constexpr int32_t kTooMany = 1'000'000;
// Longer than any check: only the client's death ends the step.
constexpr int64_t kWaitMs = 3'600'000;

}  // namespace

DoomedClient::DoomedClient(SimCluster& cluster, Verdict& verdict, int index)
    : cluster_(cluster),
      name_(absl::StrCat("doomed", index)),
      process_(SimWorld::Current()->AddProcess(name_)),
      verdict_(verdict),
      index_(index) {
  SimProcessScope scope(process_);
  thread_ = Thread(name_, [this] { Live(); });
}

DoomedClient::~DoomedClient() {
  over_.Cancel(Cancelled("the run is over"));
  SimWorld::Current()->Thaw(process_);
  cluster_.network().Reset(name_, "*");
  thread_.Join();
}

void DoomedClient::Live() {
  const ClientOps ops(index_, cluster_.num_ps(),
                      cluster_.num_tasks() - cluster_.num_ps());
  Connection connection(cluster_, own_verdict_, name_, ops);
  // Waits in a loop that the gate ends, or for elements of a queue of the
  // client of the same worker: those that it has taken are put back.
  const bool queues = SimRandom(2) == 0;
  const QueueOps& queue = ops.queues[SimRandom(ops.queues.size())];
  for (int i = 0; i < kTries && !over_.cancelled() && !dead_; ++i) {
    Status status =
        connection.Run({{ops.gate_value, 0.0f}}, {}, {ops.set_gate}).status();
    if (status.ok()) {
      RunContext context;
      context.options.timeout_ms = kWaitMs;
      context.cancel = &over_;
      const auto session = connection.session();
      waits_ = true;
      if (session.ok()) {
        status = queues
                     ? (*session)
                           ->Run({{queue.n, kTooMany}}, queue.taken_rows, {},
                                 context)
                           .status()
                     : (*session)
                           ->Run({{ops.goal, 1.0f}}, {ops.passed}, {}, context)
                           .status();
      }
      waits_ = false;
      if (status.ok()) {
        verdict_.Fail(Internal(queues ? "queue: " : "wait: ", name_,
                               " has got what nobody gave"));
      }
    }
    connection.Drop();
    SleepUntil(Deadline::AfterMillis(500));
  }
}

void DoomedClient::Die() {
  if (dead_) return;
  dead_ = true;
  SimWorld::Current()->Freeze(process_);
  cluster_.network().Reset(name_, "*");
}

}  // namespace millrace::sim

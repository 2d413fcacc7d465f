#include "millrace/cluster/master/run/graph_release.h"

#include "millrace/cluster/master/fan_out.h"

namespace millrace {
namespace {

// Long enough for a task that is silent for a while: a graph that it is not
// told to free stays for as long as the session lives. Retried every other
// second.
constexpr int64_t kDeregisterMs = 120'000;

using Deregister = FanOut<DeregisterGraphRequest, DeregisterGraphReply>;

}  // namespace

void GraphRelease::Release(std::vector<Graph> graphs) {
  if (graphs.empty()) return;
  {
    MutexLock lock(mu_);
    if (ended_) return;
    // From here on the environment waits for this call.
    environment_.in_flight.Add();
  }
  std::vector<Deregister::Call> calls;
  for (Graph& graph : graphs) {
    Deregister::Call& call = calls.emplace_back();
    call.peer = std::move(graph.first);
    call.request.session_handle = session_handle_;
    call.request.graph_handle = std::move(graph.second);
    call.request.create_worker_session_called = true;
  }
  InFlight& in_flight = environment_.in_flight;
  Deregister::Start(std::move(calls), &WorkerApi::DeregisterGraph,
                    Deadline::AfterMillis(kDeregisterMs),
                    &environment_.background, &in_flight,
                    [](std::vector<Deregister::Call>&) {});
  in_flight.Remove();
}

void GraphRelease::End() {
  MutexLock lock(mu_);
  ended_ = true;
}

}  // namespace millrace

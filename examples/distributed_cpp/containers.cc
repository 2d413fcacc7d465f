// State that sessions share on the cluster: names, containers, and a reset of
// some of them.
#include <cstdio>
#include <memory>

#include "absl/status/status.h"
#include "examples/distributed_cpp/examples.h"
#include "millrace/millrace.h"

namespace millrace::distributed {
namespace {

// A client of its own: a graph and a session, the same variable on the ps.
struct Counter {
  Counter(const Cluster& cluster, int worker, const Scope& graph)
      : on_ps(graph.WithDevice("/job:ps/task:0")),
        x(on_ps.WithOpName("counter"), 0.0f),
        increment(x.AssignAdd(on_ps, 1.0f)),
        session(graph, cluster.Master(worker)) {}
  Counter(const Cluster& cluster, int worker)
      : Counter(cluster, worker, cluster.NewGraph()) {}

  Status Start() { return session.RunTargets({x.initializer()}); }
  StatusOr<float> Value() {
    MR_ASSIGN_OR_RETURN(const auto values, session.Run({x}));
    return values[0].scalar<float>();
  }

  const Scope on_ps;
  const ops::Variable x;
  const Output increment;
  Session session;
};

Status SharedByName(const Cluster& cluster) {
  Counter first(cluster, 0);
  Counter second(cluster, 1);
  MR_RETURN_IF_ERROR(first.Start());
  MR_RETURN_IF_ERROR(first.session.Run({first.increment}).status());
  MR_RETURN_IF_ERROR(second.session.Run({second.increment}).status());
  MR_ASSIGN_OR_RETURN(const float x1, first.Value());
  MR_ASSIGN_OR_RETURN(const float x2, second.Value());
  std::printf("shared: %g %g\n", x1, x2);
  return OkStatus();
}

Status ApartByContainer(const Cluster& cluster) {
  const std::string container = "problem-1";
  Counter outside(cluster, 1);
  {
    Counter inside(cluster, 0, cluster.NewGraph().WithContainer(container));
    MR_RETURN_IF_ERROR(inside.Start());
    MR_RETURN_IF_ERROR(inside.session.Run({inside.increment}).status());
    MR_ASSIGN_OR_RETURN(const float x_inside, inside.Value());
    MR_ASSIGN_OR_RETURN(const float x_outside, outside.Value());
    std::printf("in a container: %g, outside: %g\n", x_inside, x_outside);
  }
  // A reset of the container leaves the rest alone. It ends the sessions of its
  // master.
  MR_RETURN_IF_ERROR(Session::Reset(cluster.Master(0), {container}));
  Counter again(cluster, 0, cluster.NewGraph().WithContainer(container));
  std::printf("after the reset: %s\n",
              absl::StatusCodeToString(again.Value().status().code()).c_str());
  Counter other(cluster, 1);
  MR_ASSIGN_OR_RETURN(const float x, other.Value());
  std::printf("the other container: %g\n", x);
  return OkStatus();
}

FIFOQueue SharedQueue(const Scope& graph, const char* name) {
  return FIFOQueue(
      graph.WithDevice("/job:ps/task:0").WithOpName(name), {DataType::kFloat},
      {.capacity = 10, .shapes = {PartialShape({})}, .shared_name = "numbers"});
}

// Queues, too, under their shared names.
Status SharedQueues(const Cluster& cluster) {
  {
    const Scope graph = cluster.NewGraph();
    const Operation put =
        SharedQueue(graph, "a").EnqueueMany(graph, {{1.0f, 2.0f, 3.0f}});
    Session session(graph, cluster.Master(0));
    MR_RETURN_IF_ERROR(session.RunTargets({put}));
  }
  const Scope graph = cluster.NewGraph();
  const Output taken = SharedQueue(graph, "b").DequeueMany(graph, 3)[0];
  Session session(graph, cluster.Master(1));
  MR_ASSIGN_OR_RETURN(const auto values, session.Run({taken}));
  std::printf("from the shared queue: %s\n",
              values[0].SummarizeValue(3).c_str());
  return OkStatus();
}

}  // namespace

Status Containers(const Cluster& cluster) {
  MR_RETURN_IF_ERROR(SharedByName(cluster));
  MR_RETURN_IF_ERROR(ApartByContainer(cluster));
  return SharedQueues(cluster);
}

}  // namespace millrace::distributed

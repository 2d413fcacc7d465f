// An ensemble of clients that know nothing of each other: queues between them,
// and an aggregator with patience.
//
// Each client has its own graph and session. An input client puts instances
// into a queue of every network; the networks put their estimates into a queue
// of the aggregator, with a number; the aggregator averages what is there when
// its time is over, so a network that is slow or gone delays nobody.
#include <cstdio>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "examples/distributed_cpp/examples.h"
#include "millrace/millrace.h"

namespace millrace::distributed {
namespace {

constexpr int kNetworks = 3;
constexpr int kInstances = 12;
constexpr int kFeatures = 4;
constexpr int64_t kPatienceMs = 2'000;

// The same numbers in each client, between 0 and 1.
Tensor Numbers(TensorShape shape, uint32_t seed) {
  Tensor numbers = Tensor::New(DataType::kFloat, std::move(shape));
  for (float& value : numbers.mutable_flat<float>()) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<float>(seed >> 8) / static_cast<float>(1 << 24);
  }
  return numbers;
}

// A queue on the ps that clients share: numbers of instances, and `size` floats
// of each.
FIFOQueue SharedQueue(const Scope& graph, const std::string& name,
                      int64_t size) {
  return FIFOQueue(graph.WithDevice("/job:ps/task:0").WithOpName(name),
                   {DataType::kInt32, DataType::kFloat},
                   {.capacity = 100,
                    .shapes = {PartialShape({}), PartialShape({size})},
                    .shared_name = name});
}
FIFOQueue InputsOf(const Scope& graph, int network) {
  return SharedQueue(graph, absl::StrCat("inputs_", network), kFeatures);
}
FIFOQueue EstimatesOf(const Scope& graph, int network) {
  return SharedQueue(graph, absl::StrCat("estimates_", network), 2);
}

Status InputClient(const Cluster& cluster) {
  const Scope s = cluster.NewGraph();
  std::vector<int32_t> numbers;
  for (int32_t i = 0; i < kInstances; ++i) numbers.push_back(i);
  const Tensor instances = Numbers(TensorShape({kInstances, kFeatures}), 3);
  std::vector<ControlInput> puts;
  for (int i = 0; i < kNetworks; ++i) {
    puts.push_back(InputsOf(s, i).EnqueueMany(s, {numbers, instances}));
  }
  Session session(s, cluster.Master(0));
  return session.RunTargets(puts);
}

// Answers the first `answers` instances, and is gone then.
Status NetworkClient(const Cluster& cluster, int number, int answers) {
  const int worker = number % cluster.workers();
  const Scope root = cluster.NewGraph();
  const Scope s = root.WithDevice(absl::StrCat("/job:worker/task:", worker));
  const std::vector<Output> input = InputsOf(root, number).Dequeue(root);
  const Output weights = ops::Const(
      s, Numbers(TensorShape({kFeatures, 2}), static_cast<uint32_t>(number)));
  const Output logits =
      ops::MatMul(s, ops::ExpandDims(s, input[1], 0), weights);
  const Output estimate = ops::Squeeze(s, ops::Softmax(s, logits));
  const Operation put =
      EstimatesOf(root, number).Enqueue(root, {input[0], estimate});
  Session session(root, cluster.Master(worker));
  for (int i = 0; i < answers; ++i) {
    MR_RETURN_IF_ERROR(session.RunTargets({put}));
  }
  return OkStatus();
}

// How many networks there are behind the mean of each instance.
StatusOr<std::vector<int>> Aggregate(const Cluster& cluster) {
  const Scope s = cluster.NewGraph();
  std::vector<std::optional<std::vector<Output>>> takes;
  for (int i = 0; i < kNetworks; ++i) {
    takes.emplace_back(EstimatesOf(s, i).Dequeue(s));
  }
  Session session(s, cluster.Master(cluster.workers() - 1));
  std::vector<int> behind;
  for (int32_t expected = 0; expected < kInstances; ++expected) {
    int count = 0;
    float sum = 0;
    for (auto& take : takes) {
      if (!take) continue;
      const auto values =
          session.Run({}, *take, {}, {.options = {.timeout_ms = kPatienceMs}});
      if (values.status().code() == StatusCode::kDeadlineExceeded) {
        take.reset();  // given up
        continue;
      }
      MR_RETURN_IF_ERROR(values.status());
      if ((*values)[0].scalar<int32_t>() != expected) {
        return Internal("an estimate of another instance");
      }
      for (const float part : (*values)[1].flat<float>()) sum += part;
      ++count;
    }
    if (sum < 0.999f * static_cast<float>(count)) {
      return Internal("estimates that do not add up to one");
    }
    behind.push_back(count);
  }
  return behind;
}

}  // namespace

Status EnsembleBetweenGraphs(const Cluster& cluster) {
  std::vector<Thread> clients;
  std::vector<Status> ended(kNetworks + 1);
  for (int i = 0; i < kNetworks; ++i) {
    const int answers = i == kNetworks - 1 ? 5 : kInstances;
    clients.emplace_back("network", [&, i, answers] {
      ended[static_cast<size_t>(i)] = NetworkClient(cluster, i, answers);
    });
  }
  clients.emplace_back("input", [&] { ended.back() = InputClient(cluster); });
  // They end first, so that what is printed does not depend on this machine's
  // speed, only on who is gone.
  for (Thread& client : clients) client.Join();
  for (const Status& status : ended) MR_RETURN_IF_ERROR(status);
  MR_ASSIGN_OR_RETURN(const std::vector<int> behind, Aggregate(cluster));
  std::printf("networks behind each estimate: %s\n",
              absl::StrJoin(behind, " ").c_str());
  return OkStatus();
}

}  // namespace millrace::distributed

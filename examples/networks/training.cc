#include "examples/networks/training.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "millrace/millrace.h"

namespace millrace::networks {
namespace {

constexpr int kLines = 10;

// At once, for those who watch.
void Print(const std::string& line) {
  std::puts(line.c_str());
  std::fflush(stdout);
}

StatusOr<double> Test(const train::MonitoredCallable& test,
                      const Network& network) {
  double sum = 0;
  for (const std::vector<Tensor>& feeds : network.test_feeds) {
    MR_ASSIGN_OR_RETURN(const std::vector<Tensor> out, test.Run(feeds));
    sum += out[0].scalar<float>();
  }
  return sum / static_cast<double>(network.test_feeds.size());
}

}  // namespace

Status Train(Cluster& cluster, const TrainingOptions& options,
             const BuildNetwork& build) {
  const bool is_chief = options.client == 0;
  const Scope scope = Scope::NewRoot()
                          .WithContainer(kContainer)
                          .WithDevice(train::ReplicaDeviceSetter(
                              {.ps_tasks = kPs,
                               .worker_device = absl::StrCat(
                                   "/job:worker/task:", options.client)}));
  MR_ASSIGN_OR_RETURN(const Network network,
                      build(scope, VariableScope(scope)));
  train::MonitoredSessionOptions monitored;
  monitored.session = cluster.Master(options.client);
  monitored.is_chief = [is_chief] { return is_chief; };
  train::MonitoredSession session(scope, monitored);
  const train::MonitoredCallable train =
      session.Prepare(network.feeds, {network.loss, network.train_op.output(0)},
                      {}, {.step_fetch = 1});
  const train::MonitoredCallable test =
      session.Prepare(network.feeds, {network.test});
  MR_RETURN_IF_ERROR(session.Start());
  // This client's batches are every n-th; the steps are those of all.
  int64_t batch = options.client;
  int64_t next_line = 0;
  while (session.global_step() < options.steps) {
    MR_ASSIGN_OR_RETURN(const std::vector<Tensor> out,
                        train.Run(network.next(batch)));
    batch += options.clients;
    const int64_t step = out[1].scalar<int64_t>();
    if (is_chief && step >= next_line) {
      Print(
          absl::StrFormat("step %d: loss %.4f", step, out[0].scalar<float>()));
      next_line += std::max<int64_t>(1, options.steps / kLines);
    }
  }
  if (is_chief) {
    MR_RETURN_IF_ERROR(cluster.AwaitClients());
    if (cluster.has_own_servers()) {
      MR_ASSIGN_OR_RETURN(const int64_t bytes, cluster.BytesBetweenTasks());
      Print(absl::StrFormat("between tasks: %d bytes, %d a step", bytes,
                            bytes / session.global_step()));
    }
    MR_ASSIGN_OR_RETURN(const double result, Test(test, network));
    Print(absl::StrFormat("%s: %.4f", network.test_name, result));
  }
  return session.Close();
}

std::vector<int64_t> BatchOf(int64_t batch, int64_t size, int64_t examples) {
  // A prime that no number of examples here has as a factor.
  constexpr int64_t kStride = 7919;
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < size; ++i) {
    numbers.push_back((batch * size + i) % examples * kStride % examples);
  }
  return numbers;
}

}  // namespace millrace::networks

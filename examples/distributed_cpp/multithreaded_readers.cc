// Several threads fill a queue: a QueueRunner by hand, several readers with
// ShuffleBatchJoin, and an error of a thread.
#include <algorithm>
#include <cstdio>
#include <limits>

#include "absl/strings/str_cat.h"
#include "examples/distributed_cpp/examples.h"
#include "examples/distributed_cpp/input_files.h"
#include "millrace/millrace.h"

namespace millrace::distributed {
namespace {

constexpr int kFiles = 4;
constexpr int kLines = 25;

const char* YesNo(bool yes) { return yes ? "yes" : "no"; }

// The number on the next line of the files that the queue names.
Output Read(const Scope& s, const Queue& names) {
  const Output reader = ops::TextLineReaderV2(s);
  const auto line = ops::ReaderReadV2(s, reader, names.handle());
  return ops::DecodeCSV(s, line.value, {{0}})[0];
}

// All numbers that `fetch` gives until its end.
StatusOr<std::vector<int32_t>> Drain(const Scope& s, const Cluster& cluster,
                                     const Output& fetch) {
  Session session(s, cluster.Master());
  MR_RETURN_IF_ERROR(session.RunTargets({ops::LocalVariablesInitializer(s)}));
  train::Coordinator coordinator;
  train::QueueThreads threads = train::StartQueueRunners(session, coordinator);
  std::vector<int32_t> seen;
  while (!coordinator.ShouldStop()) {
    const auto values = session.Run({fetch});
    if (!values.ok()) {
      coordinator.RequestStop(values.status());
      continue;
    }
    const auto numbers = (*values)[0].flat<int32_t>();
    seen.insert(seen.end(), numbers.begin(), numbers.end());
  }
  threads.Stop();
  MR_RETURN_IF_ERROR(coordinator.status());
  return seen;
}

bool IsEverything(std::vector<int32_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  if (numbers.size() != size_t{kFiles} * kLines) return false;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const int32_t file = static_cast<int32_t>(i) / kLines;
    if (numbers[i] != 100 * file + static_cast<int32_t>(i) % kLines) {
      return false;
    }
  }
  return true;
}

Status OneRunnerOfFiveThreads(const Cluster& cluster, const InputFiles& files) {
  const Scope s = cluster.NewGraph();
  const RandomShuffleQueue queue(
      s.WithDevice("/job:ps/task:0"), {DataType::kInt32},
      /*min_after_dequeue=*/5, {.capacity = 20, .shapes = {PartialShape({})}});
  const Queue names = train::StringInputProducer(
      s, files.names(), {.num_epochs = 1, .shuffle = false});
  const Operation put = queue.Enqueue(s, {Read(s, names)});
  train::AddQueueRunner(
      s, train::QueueRunner(s, queue, std::vector<Operation>(5, put)));
  MR_ASSIGN_OR_RETURN(const auto seen, Drain(s, cluster, queue.Dequeue(s)[0]));
  std::printf("five threads, one reader: all there: %s\n",
              YesNo(IsEverything(seen)));
  return OkStatus();
}

Status FourReaders(const Cluster& cluster, const InputFiles& files) {
  const Scope s = cluster.NewGraph();
  const Queue names =
      train::StringInputProducer(s, files.names(), {.num_epochs = 1});
  std::vector<InputList> lists;
  for (int i = 0; i < 4; ++i) lists.push_back({Read(s, names)});
  const auto batch = train::ShuffleBatchJoin(
      s, lists, 10, {.capacity = 40, .min_after_dequeue = 10});
  MR_ASSIGN_OR_RETURN(const auto seen, Drain(s, cluster, batch[0]));
  std::printf("four readers, shuffle_batch_join: all there: %s, in order: %s\n",
              YesNo(IsEverything(seen)),
              YesNo(std::is_sorted(seen.begin(), seen.end())));
  return OkStatus();
}

Status AnErrorReachesEverybody(const Cluster& cluster) {
  const Scope s = cluster.NewGraph();
  const FIFOQueue queue(s.WithOpName("numbers"), {DataType::kFloat},
                        {.capacity = 3, .shapes = {PartialShape({})}});
  const Output bad = ops::CheckNumerics(
      s, std::numeric_limits<float>::quiet_NaN(), "not a number");
  train::AddQueueRunner(
      s, train::QueueRunner(s, queue, {queue.Enqueue(s, {bad})}));
  Session session(s, cluster.Master());
  train::Coordinator coordinator;
  train::QueueThreads threads = train::StartQueueRunners(session, coordinator);
  const Status status = coordinator.Join();
  const std::string message(status.message());
  std::printf("the coordinator reports: %s of %s\n",
              message.substr(0, message.find(" :")).c_str(),
              FailedNode(status).c_str());
  return OkStatus();
}

}  // namespace

Status MultithreadedReaders(const Cluster& cluster) {
  InputFiles files;
  for (int i = 0; i < kFiles; ++i) {
    std::string text;
    for (int j = 0; j < kLines; ++j) {
      absl::StrAppend(&text, 100 * i + j, "\n");
    }
    MR_RETURN_IF_ERROR(files.Add(absl::StrCat("part", i, ".txt"), text));
  }
  MR_RETURN_IF_ERROR(OneRunnerOfFiveThreads(cluster, files));
  MR_RETURN_IF_ERROR(FourReaders(cluster, files));
  return AnErrorReachesEverybody(cluster);
}

}  // namespace millrace::distributed

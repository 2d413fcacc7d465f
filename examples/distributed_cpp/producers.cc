// Producers of inputs and batches: each adds queues to the graph and runners
// for them.
#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "examples/distributed_cpp/examples.h"
#include "millrace/millrace.h"

namespace millrace::distributed {
namespace {

using Pipeline = std::vector<Output> (*)(const Scope& s);

// The numbers below `limit`, once, in order.
Output Numbers(const Scope& s, int limit) {
  return train::RangeInputProducer(s, limit,
                                   {.num_epochs = 1, .shuffle = false})
      .Dequeue(s)[0];
}

std::vector<Output> RangeTwice(const Scope& s) {
  return train::RangeInputProducer(s, 4, {.num_epochs = 2, .shuffle = false})
      .Dequeue(s);
}
std::vector<Output> Rows(const Scope& s) {
  return train::InputProducer(s, {{1, 2}, {3, 4}},
                              {.num_epochs = 1, .shuffle = false})
      .Dequeue(s);
}
std::vector<Output> Slices(const Scope& s) {
  return train::SliceInputProducer(s, {{{1.5f}, {2.5f}, {3.5f}}, {10, 20, 30}},
                                   {.num_epochs = 1, .shuffle = false});
}
std::vector<Output> Batches(const Scope& s) {
  return train::Batch(s, {Numbers(s, 7)}, 3,
                      {.allow_smaller_final_batch = true});
}
std::vector<Output> PaddedBatches(const Scope& s) {
  const Output x = Numbers(s, 4);
  return train::Batch(s, {ops::Fill(s, ops::ExpandDims(s, x, 0), x)}, 2,
                      {.dynamic_pad = true});
}
std::vector<Output> Chosen(const Scope& s) {
  const Output x = Numbers(s, 6);
  const Output even = ops::Equal(s, ops::FloorMod(s, x, 2), 0);
  return train::MaybeBatch(s, {x}, even, 3);
}
std::vector<Output> Joined(const Scope& s) {
  return train::BatchJoin(
      s, {{Numbers(s, 5)}, {ops::AddV2(s, Numbers(s, 5), 10)}}, 2);
}
std::vector<Output> Shuffled(const Scope& s) {
  return train::ShuffleBatch(
      s, {Numbers(s, 8)}, 4,
      {.capacity = 8, .min_after_dequeue = 2, .seed = 1});
}

// One text a step, until the pipeline ends.
StatusOr<std::vector<std::string>> Values(const Cluster& cluster,
                                          Pipeline pipeline) {
  const Scope s = cluster.NewGraph();
  const std::vector<Output> outputs = pipeline(s);
  Session session(s, cluster.Master());
  MR_RETURN_IF_ERROR(session.RunTargets({ops::LocalVariablesInitializer(s)}));
  train::Coordinator coordinator;
  train::QueueThreads threads = train::StartQueueRunners(session, coordinator);
  std::vector<std::string> texts;
  while (!coordinator.ShouldStop()) {
    const auto values = session.Run(outputs);
    if (!values.ok()) {
      coordinator.RequestStop(values.status());
      continue;
    }
    texts.push_back(absl::StrJoin(
        *values, " and ", [](std::string* out, const Tensor& value) {
          absl::StrAppend(out, value.SummarizeValue(20));
        }));
  }
  threads.Stop();
  MR_RETURN_IF_ERROR(coordinator.status());
  return texts;
}

// The numbers of all steps, sorted, where their order is not settled.
std::vector<std::string> Sorted(const std::vector<std::string>& texts) {
  std::vector<std::string> words =
      absl::StrSplit(absl::StrJoin(texts, " "), ' ');
  std::sort(words.begin(), words.end(),
            [](const std::string& a, const std::string& b) {
              return std::stoi(a) < std::stoi(b);
            });
  return {absl::StrJoin(words, " ")};
}

}  // namespace

Status Producers(const Cluster& cluster) {
  const struct {
    const char* name;
    Pipeline pipeline;
    bool is_sorted;
  } kPipelines[] = {
      {"range", RangeTwice, false},     {"rows", Rows, false},
      {"slices", Slices, false},        {"batches", Batches, false},
      {"padded", PaddedBatches, false}, {"chosen", Chosen, false},
      {"joined", Joined, true},         {"shuffled", Shuffled, true}};
  for (const auto& [name, pipeline, is_sorted] : kPipelines) {
    // Queues of earlier graphs have the same names.
    MR_RETURN_IF_ERROR(cluster.Reset());
    MR_ASSIGN_OR_RETURN(std::vector<std::string> values,
                        Values(cluster, pipeline));
    if (is_sorted) values = Sorted(values);
    std::printf("%s: %s\n", name, absl::StrJoin(values, "; ").c_str());
  }
  return OkStatus();
}

}  // namespace millrace::distributed

// Reading files from the graph: a queue of names, a reader, a queue of
// instances; then the same by producers.
#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "examples/distributed_cpp/examples.h"
#include "examples/distributed_cpp/input_files.h"
#include "millrace/millrace.h"

namespace millrace::distributed {
namespace {

Status WriteFiles(InputFiles* files) {
  for (int i = 0; i < 2; ++i) {
    std::string text = "x1,x2,target\n";
    for (int j = 0; j < 3; ++j) {
      const std::string x2 = j == 1 ? "" : absl::StrCat(j);
      absl::StrAppend(&text, 10 * i + j, ".,", x2, ",", j % 2, "\n");
    }
    MR_RETURN_IF_ERROR(files->Add(absl::StrCat("part", i, ".csv"), text));
  }
  return OkStatus();
}

// Features and target of a line; -1 where a field is empty.
struct Instance {
  Instance(const Scope& s, const Output& line) {
    const auto columns = ops::DecodeCSV(s, line, {{-1.f}, {-1.f}, {-1}});
    features = ops::Pack(s, {columns[0], columns[1]});
    target = columns[2];
  }
  Output features;
  Output target;
};

bool IsEnd(const Status& status) {
  return status.code() == StatusCode::kOutOfRange;
}

Status ByHand(const Cluster& cluster, const InputFiles& files) {
  const Scope s = cluster.NewGraph();
  const FIFOQueue names(s.WithOpName("names"), {DataType::kString},
                        {.capacity = 10, .shapes = {PartialShape({})}});
  const Output name =
      ops::Placeholder(s, DataType::kString, {.shape = PartialShape({})});
  const Operation put_name = names.Enqueue(s, {name});
  const Operation close_names = names.Close(s);
  const Output reader = ops::TextLineReaderV2(s, {.skip_header_lines = 1});
  const Instance instance(s,
                          ops::ReaderReadV2(s, reader, names.handle()).value);
  const RandomShuffleQueue instances(
      s.WithOpName("instances"), {DataType::kFloat, DataType::kInt32},
      /*min_after_dequeue=*/2,
      {.capacity = 10, .shapes = {PartialShape({2}), PartialShape({})}});
  const Operation put =
      instances.Enqueue(s, {instance.features, instance.target});
  const Operation close = instances.Close(s);
  const std::vector<Output> batch = instances.DequeueUpTo(s, 2);
  const Output produced = ops::ReaderNumRecordsProducedV2(s, reader);
  const Output completed = ops::ReaderNumWorkUnitsCompletedV2(s, reader);

  Session session(s, cluster.Master());
  for (const std::string& file : files.names()) {
    MR_RETURN_IF_ERROR(session.RunTargets({{name, file}}, {put_name}));
  }
  MR_RETURN_IF_ERROR(session.RunTargets({close_names}));
  Status status;
  while (status.ok()) status = session.RunTargets({put});
  if (!IsEnd(status)) return status;
  MR_ASSIGN_OR_RETURN(const auto counts, session.Run({produced, completed}));
  std::printf("no more files to read: %d lines of %d files\n",
              static_cast<int>(counts[0].scalar<int64_t>()),
              static_cast<int>(counts[1].scalar<int64_t>()));
  MR_RETURN_IF_ERROR(session.RunTargets({close}));
  std::vector<std::string> seen;
  for (;;) {
    const auto values = session.Run(batch);
    if (IsEnd(values.status())) break;
    MR_RETURN_IF_ERROR(values.status());
    const auto features = (*values)[0].flat<float>();
    const auto targets = (*values)[1].flat<int32_t>();
    for (size_t i = 0; i < targets.size(); ++i) {
      seen.push_back(absl::StrFormat("(%02.0f %g %d)", features[2 * i],
                                     features[2 * i + 1], targets[i]));
    }
  }
  std::sort(seen.begin(), seen.end());
  std::printf("no more instances: %s\n", absl::StrJoin(seen, " ").c_str());
  return OkStatus();
}

Status ByProducers(const Cluster& cluster, const InputFiles& files) {
  const Scope s = cluster.NewGraph();
  const Queue names = train::StringInputProducer(
      s, files.names(), {.num_epochs = 2, .shuffle = false});
  const Output reader = ops::TextLineReaderV2(s, {.skip_header_lines = 1});
  const Instance instance(s,
                          ops::ReaderReadV2(s, reader, names.handle()).value);
  const std::vector<Output> batch =
      train::Batch(s, {instance.features, instance.target}, 4,
                   {.allow_smaller_final_batch = true});
  Session session(s, cluster.Master());
  MR_RETURN_IF_ERROR(session.RunTargets({ops::LocalVariablesInitializer(s)}));
  train::Coordinator coordinator;
  train::QueueThreads threads = train::StartQueueRunners(session, coordinator);
  while (!coordinator.ShouldStop()) {
    const auto values = session.Run(batch);
    if (values.ok()) {
      std::printf("targets %s\n", (*values)[1].SummarizeValue(4).c_str());
    } else {
      coordinator.RequestStop(values.status());
    }
  }
  threads.Stop();
  MR_RETURN_IF_ERROR(coordinator.status());
  std::printf("two epochs are over\n");
  return OkStatus();
}

}  // namespace

Status CsvReaders(const Cluster& cluster) {
  InputFiles files;
  MR_RETURN_IF_ERROR(WriteFiles(&files));
  MR_RETURN_IF_ERROR(ByHand(cluster, files));
  return ByProducers(cluster, files);
}

}  // namespace millrace::distributed

#include "examples/parallel/cpp/values_watch.h"

#include <algorithm>
#include <utility>

#include "millrace/millrace.h"

namespace millrace::parallel {

double SecondsSince(int64_t begin) {
  constexpr double kNanosPerSecond = 1e9;
  return static_cast<double>(NowNanos() - begin) / kNanosPerSecond;
}

ValuesReader::ValuesReader(const Cluster& cluster,
                           const ClassifierOptions& options)
    : scope_(cluster.ReplicaOf(cluster.NewGraph(), 0)),
      step_(train::CreateGlobalStep(scope_)) {
  MakeClassifier(VariableScope(scope_), options);
  if (!scope_.ok()) return;  // which a run reports
  TaskOf(cluster, step_);
  const std::vector<ops::Variable> variables = ops::TrainableVariables(scope_);
  for (size_t i = 0; i < variables.size(); ++i) {
    Task& task = TaskOf(cluster, variables[i]);
    task.places.push_back(i);
    task.variables.push_back(variables[i]);
  }
}

ValuesReader::Task& ValuesReader::TaskOf(const Cluster& cluster,
                                         const ops::Variable& variable) {
  const std::string& device = variable.op().device();
  for (Task& task : tasks_) {
    if (task.device == device) return task;
  }
  tasks_.push_back(
      {.device = device,
       .session = std::make_unique<Session>(scope_, cluster.MasterOf(device))});
  return tasks_.back();
}

StatusOr<std::vector<Tensor>> ValuesReader::Read() {
  MR_RETURN_IF_ERROR(scope_.status());
  std::vector<Tensor> values;
  for (Task& task : tasks_) {
    if (task.variables.empty()) continue;
    MR_ASSIGN_OR_RETURN(std::vector<Tensor> read,
                        task.session->Run(task.variables));
    for (size_t i = 0; i < read.size(); ++i) {
      values.resize(std::max(values.size(), task.places[i] + 1));
      values[task.places[i]] = std::move(read[i]);
    }
  }
  return values;
}

StatusOr<int64_t> ValuesReader::GlobalStep() {
  MR_RETURN_IF_ERROR(scope_.status());
  return train::ReadGlobalStep(*tasks_[0].session, step_);
}

void ValuesWatch::Begin() {
  begun_ = NowNanos();
  status_ = Read(0);
  thread_ = Thread("values", [this] {
    while (status_.ok() && !ends_.WaitUntil(Deadline::AfterMillis(every_ms_))) {
      status_ = Read(SecondsSince(begun_));
    }
  });
}

Status ValuesWatch::Read(double seconds) {
  SeenValues seen = {.seconds = seconds, .batches = batches_.load()};
  MR_ASSIGN_OR_RETURN(seen.values, reader_.Read());
  seen_.push_back(std::move(seen));
  return OkStatus();
}

void ValuesWatch::Stop() {
  if (!thread_.joinable()) return;
  ends_.Notify();
  thread_.Join();
}

StatusOr<std::vector<SeenValues>> ValuesWatch::End() {
  const double seconds = SecondsSince(begun_);
  Stop();
  MR_RETURN_IF_ERROR(status_);
  MR_RETURN_IF_ERROR(Read(seconds));
  return std::move(seen_);
}

}  // namespace millrace::parallel

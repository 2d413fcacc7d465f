// ValuesWatch: reads the variables of a network while others train it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "examples/parallel/cpp/classifier.h"
#include "examples/parallel/cpp/cluster.h"
#include "millrace/millrace.h"

namespace millrace::parallel {

// Since `begin`, which is of NowNanos().
double SecondsSince(int64_t begin);

// A client that reads each variable from the task that has it, so that nothing
// moves between tasks. Its graph has the variables of the programs' graphs, by
// their names. One thread.
class ValuesReader {
 public:
  ValuesReader(const Cluster& cluster, const ClassifierOptions& options);
  // Of the trainable variables, in the order of MakeClassifier.
  // FAILED_PRECONDITION while they have none.
  StatusOr<std::vector<Tensor>> Read();
  StatusOr<int64_t> GlobalStep();

 private:
  // The variables of a task, as places in the list of all.
  struct Task {
    std::string device;
    std::unique_ptr<Session> session;
    std::vector<size_t> places;
    std::vector<Output> variables;
  };
  Task& TaskOf(const Cluster& cluster, const ops::Variable& variable);

  const Scope scope_;
  ops::Variable step_;
  std::vector<Task> tasks_;  // the first: that of the global step
};

// What was seen at a time.
struct SeenValues {
  double seconds = 0;   // since the start
  int64_t batches = 0;  // counted so far
  std::vector<Tensor> values;
};

// Begin and End are called once each, by one thread.
class ValuesWatch {
 public:
  // `reader` and `batches`, which others count, must outlive this.
  ValuesWatch(ValuesReader& reader, const std::atomic<int64_t>& batches,
              int64_t every_ms)
      : reader_(reader), batches_(batches), every_ms_(every_ms) {}
  ~ValuesWatch() { Stop(); }

  // The clock starts, and a thread reads from time to time. All variables have
  // values.
  void Begin();
  // The clock stops; the last values are those of now. The first error of a
  // read.
  StatusOr<std::vector<SeenValues>> End();

 private:
  void Stop();
  Status Read(double seconds);

  ValuesReader& reader_;
  const std::atomic<int64_t>& batches_;
  const int64_t every_ms_;
  int64_t begun_ = 0;
  Notification ends_;
  Thread thread_;
  // Of the thread, until it ends.
  Status status_;
  std::vector<SeenValues> seen_;
};

}  // namespace millrace::parallel

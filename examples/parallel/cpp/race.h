// A race: clients train one network, for as many steps or for as long, while
// its values are looked at by a clock.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "examples/parallel/cpp/classifier.h"
#include "examples/parallel/cpp/cluster.h"
#include "examples/parallel/cpp/images.h"
#include "examples/parallel/cpp/values_watch.h"
#include "millrace/millrace.h"

namespace millrace::parallel {

// When a training ends: what comes first. Steps or seconds are set.
struct RaceEnd {
  int64_t steps = 0;   // of each client; 0: any
  double seconds = 0;  // 0: any
  // It lasts longer than `seconds` until there are as many.
  int64_t least_updates = 0;
};

struct RaceOptions {
  int clients = 2;
  ClassifierOptions classifier;
  RaceEnd end;
  int64_t look_ms = 250;  // from one look at the values to the next
};

struct RaceResult {
  double seconds = 0;   // from the start to the end
  Score score;          // in the end, on all images for the test
  int64_t updates = 0;  // that the global step counted
  int64_t batches = 0;  // whose gradients the clients computed
  int64_t bytes = 0;    // between tasks, from the start to the end
  // Between two updates.
  std::vector<double> update_seconds;
  // Seconds, and the accuracy on the first images for the test.
  std::vector<std::pair<double, double>> curve;
  std::vector<int64_t> curve_batches;  // counted at each point of the curve

  // When the curve first reached an accuracy; -1: it did not.
  double SecondsTo(double accuracy) const;
  // The accuracy of the first point with so many batches; -1: there is none.
  double AccuracyAfter(int64_t batches_counted) const;
};

// What a client has of the race, used by its thread.
class RaceClient {
 public:
  int number() const { return number_; }
  // Called once, when all variables have values: waits until all clients are
  // here, and the clock starts.
  void Start();
  // Before it: the others no longer wait for this client.
  void ComeLater();
  // Whether it trains on.
  bool GoesOn() const;
  // Counts a step by some batches, after which the client knows of this global
  // step.
  void Count(int64_t global_step, int64_t batches = 1);
  int64_t steps() const { return steps_; }

 private:
  friend class RaceOfClients;
  int number_ = 0;
  class RaceOfClients* race_ = nullptr;
  bool is_here_ = false;
  int64_t steps_ = 0;
};

// Forgets what earlier graphs left on the cluster and calls `client` for each
// client, on threads. Returns the first error of a client; the others end with
// the step that they are in.
StatusOr<RaceResult> RunRace(Cluster& cluster, const Images& images,
                             const RaceOptions& options,
                             const std::function<Status(RaceClient&)>& client);

double Median(std::vector<double> values);  // -1 of none
double MeanOf(const std::vector<double>& values);

}  // namespace millrace::parallel

// Between-graph training, asynchronous: each worker has a client, a process,
// that builds the same graph, with the variables on the parameter servers and
// all else on its worker.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "examples/networks/cluster.h"
#include "millrace/millrace.h"

namespace millrace::networks {

// Of what a training keeps on the servers.
inline constexpr char kContainer[] = "networks";

struct TrainingOptions {
  int64_t steps = 0;  // of all clients together; 0: the network's own number
  int64_t batch = 0;  // 0: the network's own
  int clients = 2;    // 1: every run gives the same numbers
  int client = 0;     // which one this is; 0 is the chief
  bool is_small = false;  // a smaller network and fewer steps, for tests
  int64_t rows = 0;       // of the embedding's table; 0: its own number
  std::string data;       // a folder; empty: where Debian has it
};

// A replica's graph. Feeds come from `next`, called with 0, 1, 2, ... for the
// batches of all clients together.
struct Network {
  std::vector<Output> feeds;
  Output loss;         // a number
  Operation train_op;  // its output is the global step
  std::function<std::vector<Tensor>(int64_t batch)> next;
  // What the chief looks at in the end: for each of these feeds a number, whose
  // mean is printed.
  std::string test_name;
  Output test;
  std::vector<std::vector<Tensor>> test_feeds;
};
// `scope` and `variables` place everything.
using BuildNetwork = std::function<StatusOr<Network>(
    const Scope& scope, const VariableScope& variables)>;

// Trains as one of the clients. The chief initializes the variables, prints a
// line every tenth of the steps and, once the others have ended, how much moved
// between tasks until then and what the test gives.
Status Train(Cluster& cluster, const TrainingOptions& options,
             const BuildNetwork& build);

// The numbers of the examples of a batch: all examples in turn, far from each
// other. The same in stock/training.py.
std::vector<int64_t> BatchOf(int64_t batch, int64_t size, int64_t examples);

}  // namespace millrace::networks

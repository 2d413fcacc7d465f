// What the demo is asked to do.
#pragma once

#include <cstdint>
#include <string>

namespace millrace::demo {

struct DemoOptions {
  int ps = 2;
  int workers = 2;
  int epochs = 10;
  int batch = 50;
  uint64_t seed = 1;
  std::string optimizer = "momentum";  // sgd, momentum, adam
  double learning_rate = 0;            // 0: one that suits the optimizer
  std::string dir;                     // of checkpoints and events
  std::string data;                    // the data set's folder
  std::string server;                  // the command `millrace`
  bool resume = false;
  double checkpoint_seconds = 5;
  std::string values;  // folder for the values at the end; empty: none
};

// Of one replica's client process, besides what all have.
struct ClientOptions {
  int index = 0;
  std::string target;  // "grpc://host:port" of its worker
  bool chief = false;
};

// The steps of all workers together that pass over the training set once.
int64_t StepsPerEpoch(const DemoOptions& options);

inline constexpr char kCheckpointName[] = "model.ckpt";

}  // namespace millrace::demo

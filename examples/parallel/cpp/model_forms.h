// Networks in several forms: on one device, and split over the workers in
// several ways. Forms of a network have the same variables with the same first
// values.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "examples/parallel/cpp/cluster.h"
#include "millrace/millrace.h"

namespace millrace::parallel {

// Sizes of all networks.
struct ModelSizes {
  int64_t batch = 256;
  int64_t units = 1024;  // of dense layers
  int64_t images = 64;   // of a batch of the convolutional network
  int64_t side = 28;     // of an image
  int64_t filters = 16;  // of the first of two layers; twice as many after it
  int64_t times = 16;    // of the recurrent network
  int64_t recurrent = 256;  // units of each of its layers
};

// A training step in one of the forms.
struct ModelGraph {
  Scope scope;
  Output values;       // what the network gives for its batch
  Operation train_op;  // without one, `values` are what a step computes
  std::string block;   // of a pipeline's ops; empty: no pipeline
};

struct ModelForm {
  std::string name;
  std::string network;  // forms of one network give the same values
  std::function<ModelGraph(const Cluster& cluster)> build;
  // Of a pipeline.
  int64_t stages = 0;
  int64_t micro_batches = 0;
  train::PipelineOrder order = train::PipelineOrder::kForwardFirst;
};

// The first form of each network is the one that is not split.
std::vector<ModelForm> ModelForms(const ModelSizes& sizes, uint64_t seed);

// A network of equal work on two workers that answers queries: for the share of
// time in which a stage waits for the other.
struct IdleSizes {
  int64_t batch = 8192;  // of all micro-batches together
  int64_t units = 1024;
  int64_t layers = 5;   // of a stage
  int64_t narrow = 64;  // what goes into a stage, and out of it
};
ModelForm QueriesInPipeline(const IdleSizes& sizes, int64_t micro_batches);
// The same on one worker.
ModelForm QueriesOnOneWorker(const IdleSizes& sizes);

}  // namespace millrace::parallel

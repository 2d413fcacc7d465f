// The programs of this folder: each trains networks on several servers in
// several ways, and tells by tables and pictures how the ways differ.
#pragma once

#include <cstdint>
#include <string>

#include "millrace/millrace.h"

namespace millrace::parallel {

struct Options {
  bool is_small = false;  // small networks and few steps: seconds, for tests
  std::string out;        // a folder for tables and pictures; empty: none
  std::string data;       // of Fashion-MNIST; empty: where Debian has it
  uint64_t seed = 1;      // of values and orders
  std::string server;     // the command `millrace`
};

// A program in one line each: its function, its name and what it does. The
// function lies in NAME.cc; all of them are compiled as one, so what a file has
// to itself needs names that the others do not have.
//
// clang-format off
#define MR_PARALLEL_PROGRAMS(PROGRAM) \
  PROGRAM(DataParallel, "data_parallel", "Four forms of data parallelism: in one graph and between graphs, synchronous and asynchronous.") \
  PROGRAM(Exercise10, "exercise_10", "Asynchronous, synchronous and vertical slices: how long until 88 % are right, and what an update moves.") \
  PROGRAM(SpareReplicas, "spare_replicas", "Five workers, one of them slow: synchronous with 0, 1 and 2 spares, and asynchronous.") \
  PROGRAM(ModelParallel, "model_parallel", "Networks over several workers by layers, slices, chunks and pipelines, beside the same on one worker.") \
  PROGRAM(Staleness, "staleness", "Stale gradients: applied as they are, dropped, scaled, bounded, and after a warm-up.") \
  PROGRAM(Embedding, "embedding", "A table over the parameter servers, of which a step moves only the rows that it touches.") \
  PROGRAM(ServingWhileTraining, "serving_while_training", "One network answers queries on all devices while it trains.") \
  PROGRAM(InEightBits, "quantized", "A trained network in 8 bits: its size, how often it is right, and how many queries a second it answers.")
// clang-format on

#define MR_PARALLEL_DECLARE(function, name, sentence) \
  Status function(const Options& options);
MR_PARALLEL_PROGRAMS(MR_PARALLEL_DECLARE)
#undef MR_PARALLEL_DECLARE

}  // namespace millrace::parallel

// RunTrainingSeed: runs one seed of another scenario: replicas train one model
// in a cluster of one ps and three workers, synchronously or asynchronously as
// the seed decides, under kills, silences and data that end unevenly.
#pragma once

#include "tests/simulation/run_seed.h"

namespace millrace::sim {

// As RunSeed. Of the result `steps` are those of all replicas, `acknowledged`
// the updates in the end.
SeedResult RunTrainingSeed(uint64_t seed, bool verbose);

}  // namespace millrace::sim

// ClientOps: the graph of one client of the simulation.
#pragma once

#include <vector>

#include "millrace/client/scope.h"
#include "millrace/client/variables/variables.h"
#include "tests/simulation/queue_ops.h"

namespace millrace::sim {

// Adds to a counter in different ways, each by one.
struct CounterOps {
  ops::Variable variable;  // a scalar on the ps
  Output add;              // what the client's worker computed
  Output add_of_both;      // what both workers computed
  Output add_fed;          // `fed`
};

// A part of the model: a vector of equal elements.
struct ModelOps {
  ops::Variable variable;
  Output add;     // ones, from the worker
  Output before;  // the value that `after` adds one to
  Output after;
};

// A client works at worker `index % num_workers`; variables are called after
// `index`. Resource or reference variables, as the seed decides.
struct ClientOps {
  ClientOps(int index, int num_ps, int num_workers);

  const int worker;
  const Scope scope;
  Output fed;
  std::vector<CounterOps> counters;  // one a ps
  std::vector<ModelOps> model;       // one a ps

  // Fails on the worker while a ps sends what it adds to.
  Output vector;  // fed: of any length but 2
  Output broken;

  // A while loop over the worker and a ps that ends when the gate, a variable
  // of the ps, has the fed value.
  int gate_ps;
  Output gate_value;  // fed
  Operation set_gate;
  Output goal;  // fed
  Output passed;

  // One of each kind; those of the ps take turns. Clients of one worker share
  // them.
  std::vector<QueueOps> queues;

  // A variable in a container of its own.
  std::string container;
  int scratch_ps;
  Output scratch_value;  // fed
  Operation set_scratch;
  Output scratch;
};

}  // namespace millrace::sim

// ClientOps: the graph of one client of the simulation.
#pragma once

#include <vector>

#include "millrace/client/scope.h"
#include "millrace/client/variables/variables.h"
#include "tests/simulation/queue_ops.h"

namespace millrace::sim {

// Ops that add one to a counter in different ways.
struct CounterOps {
  ops::Variable variable;  // a scalar on the ps
  Output add;              // computed by the client's worker
  Output add_of_both;      // computed by both workers
  Output add_fed;          // `fed`
};

// A part of the model: a vector of equal elements.
struct ModelOps {
  ops::Variable variable;
  Output add;     // ones, from the worker
  Output before;  // the value to which `after` adds one
  Output after;
};

// A client uses worker `index % num_workers`; `index` is part of its variables'
// names. The seed decides between resource and reference variables.
struct ClientOps {
  ClientOps(int index, int num_ps, int num_workers);

  const int worker;
  const Scope scope;
  Output fed;
  std::vector<CounterOps> counters;  // one per ps
  std::vector<ModelOps> model;       // one per ps

  // Fails on the worker while a ps sends an operand to it.
  Output vector;  // fed: of any length but 2
  Output broken;

  // A while loop over the worker and a ps that ends when the gate, a variable
  // of the ps, has the fed value.
  int gate_ps;
  Output gate_value;  // fed
  Operation set_gate;
  Output goal;  // fed
  Output passed;

  // One of each kind, in turn on the ps. Clients of one worker share them.
  std::vector<QueueOps> queues;

  // A variable in a container of its own.
  std::string container;
  int scratch_ps;
  Output scratch_value;  // fed
  Operation set_scratch;
  Output scratch;
};

}  // namespace millrace::sim

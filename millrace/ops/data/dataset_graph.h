// Data sets as graphs.
#pragma once

#include "millrace/base/memory/kept_charge.h"
#include "millrace/graph/graph_def.h"
#include "millrace/ops/data/dataset.h"

namespace millrace::ops {

// A graph with a charge for it and for its encoded form: in that each tensor is
// as often as data sets have it.
struct ChargedGraph {
  GraphDef def;
  KeptSum charge{"the graph of a data set"};
};

// Returns a graph that makes the data set, with the functions that it calls.
// Returns UNIMPLEMENTED for a data set with inputs that a graph cannot hold,
// such as resources, FAILED_PRECONDITION for functions with state unless
// `allows_state`, and RESOURCE_EXHAUSTED if memory runs out.
StatusOr<ChargedGraph> GraphOfDataset(const DatasetValue& dataset,
                                      bool allows_state);

}  // namespace millrace::ops

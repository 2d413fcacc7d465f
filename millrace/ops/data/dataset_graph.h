// Data sets as graphs.
#pragma once

#include "millrace/graph/graph_def.h"
#include "millrace/ops/data/dataset.h"

namespace millrace::ops {

// Returns a graph that makes the data set, with the functions that it calls.
// Returns UNIMPLEMENTED for a data set with inputs that a graph cannot hold,
// such as resources, and FAILED_PRECONDITION for functions with state unless
// `allows_state`.
StatusOr<GraphDef> GraphOfDataset(const DatasetValue& dataset,
                                  bool allows_state);

}  // namespace millrace::ops

// Edge values: converts fed and fetched tensors to and from the form in which
// RunGraph carries them.
#pragma once

#include <string>
#include <vector>

#include "millrace/cluster/master/run/client_edges.h"
#include "millrace/protocol/worker.h"

namespace millrace {

// Adds `value` to `request.send` in the form that `edge` takes.
Status PutFeed(const ClientEdge& edge, const Tensor& value,
               RunGraphRequest* request);

// Returns the value of `edge` from a worker's reply, which has it at index
// `expected` if the worker keeps the order of the keys (ours do), or anywhere.
// `name` and `task` are for the message: INTERNAL if the value is missing.
StatusOr<Tensor> TakeFetch(const ClientEdge& edge, size_t expected,
                           const std::string& name, const std::string& task,
                           std::vector<NamedTensor>& values);

}  // namespace millrace

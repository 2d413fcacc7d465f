// Edge values: fed and fetched tensors on their way in and out of RunGraph.
#pragma once

#include <string>
#include <vector>

#include "millrace/cluster/master/run/client_edges.h"
#include "millrace/protocol/worker.h"

namespace millrace {

// Adds `value` to `request.send` as what `edge` takes.
Status PutFeed(const ClientEdge& edge, const Tensor& value,
               RunGraphRequest* request);

// The value of `edge` out of a worker's answer, which has it at `expected` if
// it keeps the order of the keys (workers of ours do), or anywhere. `name` and
// `task` are for the message: INTERNAL if it is not there.
StatusOr<Tensor> TakeFetch(const ClientEdge& edge, size_t expected,
                           const std::string& name, const std::string& task,
                           std::vector<NamedTensor>& values);

}  // namespace millrace

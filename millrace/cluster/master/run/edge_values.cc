#include "millrace/cluster/master/run/edge_values.h"

#include <algorithm>
#include <utility>

#include "millrace/cluster/master/run/narrow_tensor.h"

namespace millrace {

Status PutFeed(const ClientEdge& edge, const Tensor& value,
               RunGraphRequest* request) {
  NamedTensor& send = request->send.emplace_back();
  send.name = edge.key;
  if (edge.narrow) {
    MR_ASSIGN_OR_RETURN(send.tensor, NarrowToBfloat16(value));
  } else {
    send.tensor = value;
  }
  return OkStatus();
}

StatusOr<Tensor> TakeFetch(const ClientEdge& edge, size_t expected,
                           const std::string& name, const std::string& task,
                           std::vector<NamedTensor>& values) {
  auto found = values.end();
  if (expected < values.size() && values[expected].name == edge.key) {
    found = values.begin() + static_cast<ptrdiff_t>(expected);
  } else {
    found = std::find_if(
        values.begin(), values.end(),
        [&](const NamedTensor& value) { return value.name == edge.key; });
  }
  if (found == values.end()) {
    return Internal("The worker ", task, " gave no value for ", name);
  }
  if (edge.narrow) return WidenFromBfloat16(found->tensor);
  return std::move(found->tensor);
}

}  // namespace millrace

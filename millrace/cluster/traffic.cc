#include "millrace/cluster/traffic.h"

#include <string>
#include <vector>

namespace millrace {
namespace {

int64_t BytesOf(const Tensor& tensor) {
  if (!tensor.valid()) return 0;
  if (tensor.dtype() != DataType::kString) {
    return static_cast<int64_t>(tensor.size_bytes());
  }
  int64_t bytes = 0;
  for (const auto& text : tensor.flat<StringElement>()) {
    bytes += static_cast<int64_t>(text.view().size());
  }
  return bytes;
}

int64_t SumOf(const std::vector<NamedTensor>& values) {
  int64_t bytes = 0;
  for (const NamedTensor& value : values) bytes += BytesOf(value.tensor);
  return bytes;
}

}  // namespace

int64_t TensorBytes(const RunGraphRequest& request) {
  return SumOf(request.send);
}
int64_t TensorBytes(const RunGraphReply& reply) { return SumOf(reply.recv); }
int64_t TensorBytes(const RecvTensorReply& reply) {
  return BytesOf(reply.tensor);
}
int64_t TensorBytes(const RecvBufReply& reply) {
  return static_cast<int64_t>(reply.content.size_bytes());
}

}  // namespace millrace

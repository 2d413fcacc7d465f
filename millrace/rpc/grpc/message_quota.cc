#include "millrace/rpc/grpc/message_quota.h"

#include <grpcpp/resource_quota.h>

#include "millrace/base/memory/memory_budget.h"

namespace millrace {

const grpc::ResourceQuota& MessageQuota() {
  static grpc::ResourceQuota* const quota = new grpc::ResourceQuota("millrace");
  // A server's limit is set before it starts; tests set later ones to other
  // values.
  quota->Resize(static_cast<size_t>(MemoryBudget::Process().limit()));
  return *quota;
}

}  // namespace millrace

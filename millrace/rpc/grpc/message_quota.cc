#include "millrace/rpc/grpc/message_quota.h"

#include <grpcpp/resource_quota.h>

#include "millrace/base/memory/memory_budget.h"

namespace millrace {

const grpc::ResourceQuota& MessageQuota() {
  static grpc::ResourceQuota* const quota = new grpc::ResourceQuota("millrace");
  // What a server was told when it started, tests tell later ones otherwise.
  quota->Resize(static_cast<size_t>(MemoryBudget::Process().limit()));
  return *quota;
}

}  // namespace millrace

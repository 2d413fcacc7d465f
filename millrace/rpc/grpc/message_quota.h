// How much memory gRPC may hold in messages that are not whole yet.
#pragma once

namespace grpc {
class ResourceQuota;
}

namespace millrace {

// The process's one quota, for what its listeners and its channels read: with
// several, each could hold as much as the memory limit. As large as the limit
// at this call. Where gRPC has read more it cancels calls; a message that has
// arrived whole has to fit the memory budget itself. Thread-safe; lives as long
// as the process.
const grpc::ResourceQuota& MessageQuota();

}  // namespace millrace

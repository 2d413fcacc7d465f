// MessageQuota: how much memory gRPC may hold in messages that are not complete
// yet.
#pragma once

namespace grpc {
class ResourceQuota;
}

namespace millrace {

// Returns the process's one quota, which its listeners and channels share: with
// several, each could hold as much as the memory limit. It is as large as the
// limit at this call. If gRPC has read more, it cancels calls; a complete
// message has to fit the memory budget itself. Thread-safe; lives as long as
// the process.
const grpc::ResourceQuota& MessageQuota();

}  // namespace millrace

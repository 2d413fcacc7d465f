// The master's requests and replies, and MasterApi, the interface that answers
// them.
//
// Field numbers and the meaning of the fields: proto/service/master.proto and
// protocol/master_fields.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "millrace/base/threads/done.h"
#include "millrace/graph/device_attributes.h"
#include "millrace/graph/graph_def.h"
#include "millrace/protocol/call_context.h"
#include "millrace/protocol/config.h"
#include "millrace/protocol/run_options.h"
#include "millrace/protocol/step_stats.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

// The name is a tensor name with its port ("x:0") in RunStep, a rendezvous key
// in RunGraph.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};

struct CreateSessionRequest {
  GraphDef graph_def;  // may be empty
  ConfigOptions config;
  std::string target;  // as the client wrote it: "grpc://host:port"
};
struct CreateSessionReply {
  std::string session_handle;
  int64_t graph_version = 0;
};

struct ExtendSessionRequest {
  std::string session_handle;
  GraphDef graph_def;  // only the new nodes
  int64_t current_graph_version = 0;
};
struct ExtendSessionReply {
  int64_t new_graph_version = 0;
};

struct RunStepRequest {
  std::string session_handle;
  std::vector<NamedTensor> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  RunOptions options;
  std::string partial_run_handle;
  // Whether the client expects a step's error in `status` of the reply.
  bool store_errors_in_response_body = false;
  int64_t request_id = 0;
};
struct RunStepReply {
  std::vector<NamedTensor> tensors;     // in the order of the fetches
  std::optional<RunMetadata> metadata;  // if the options ask for it
  Status status;
};

struct PartialRunSetupRequest {
  std::string session_handle;
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  int64_t request_id = 0;
};
struct PartialRunSetupReply {
  std::string partial_run_handle;
};

struct CloseSessionRequest {
  std::string session_handle;
};
struct CloseSessionReply {};

struct ResetRequest {
  std::vector<std::string> containers;  // none: the default container
  std::vector<std::string> device_filters;
};
struct ResetReply {};

struct ListDevicesRequest {
  std::string session_handle;
};
struct ListDevicesReply {
  std::vector<DeviceAttributes> local_devices;
  std::vector<DeviceAttributes> remote_devices;
};

struct MakeCallableRequest {
  std::string session_handle;
  CallableOptions options;
  int64_t request_id = 0;
};
struct MakeCallableReply {
  int64_t handle = 0;
};

struct RunCallableRequest {
  std::string session_handle;
  int64_t handle = 0;
  std::vector<Tensor> feeds;  // in the order of the options
  int64_t request_id = 0;
};
struct RunCallableReply {
  std::vector<Tensor> fetches;          // in the order of the options
  std::optional<RunMetadata> metadata;  // if the options ask for it
};

struct ReleaseCallableRequest {
  std::string session_handle;
  int64_t handle = 0;
};
struct ReleaseCallableReply {};

// The service of a master. Thread-safe. `context`, `request` and `reply` belong
// to the caller and live until `done` was called, which may happen before the
// method returns. Methods never block; `reply` is only valid after an OK.
//
// The stock client retries a call ten times when its status is UNAVAILABLE, so
// no method ends with that status: see StatusForClient in method.h.
class MasterApi {
 public:
  virtual ~MasterApi() = default;

  virtual void CreateSession(CallContext& context,
                             const CreateSessionRequest& request,
                             CreateSessionReply* reply, Done done) = 0;
  virtual void ExtendSession(CallContext& context,
                             const ExtendSessionRequest& request,
                             ExtendSessionReply* reply, Done done) = 0;
  virtual void PartialRunSetup(CallContext& context,
                               const PartialRunSetupRequest& request,
                               PartialRunSetupReply* reply, Done done) = 0;
  virtual void RunStep(CallContext& context, const RunStepRequest& request,
                       RunStepReply* reply, Done done) = 0;
  virtual void CloseSession(CallContext& context,
                            const CloseSessionRequest& request,
                            CloseSessionReply* reply, Done done) = 0;
  virtual void ListDevices(CallContext& context,
                           const ListDevicesRequest& request,
                           ListDevicesReply* reply, Done done) = 0;
  virtual void Reset(CallContext& context, const ResetRequest& request,
                     ResetReply* reply, Done done) = 0;
  virtual void MakeCallable(CallContext& context,
                            const MakeCallableRequest& request,
                            MakeCallableReply* reply, Done done) = 0;
  virtual void RunCallable(CallContext& context,
                           const RunCallableRequest& request,
                           RunCallableReply* reply, Done done) = 0;
  virtual void ReleaseCallable(CallContext& context,
                               const ReleaseCallableRequest& request,
                               ReleaseCallableReply* reply, Done done) = 0;
};

// Expands to X(Name) for each method.
#define MR_MASTER_METHODS(X) \
  X(CreateSession)           \
  X(ExtendSession)           \
  X(PartialRunSetup)         \
  X(RunStep)                 \
  X(CloseSession)            \
  X(ListDevices) X(Reset) X(MakeCallable) X(RunCallable) X(ReleaseCallable)

}  // namespace millrace

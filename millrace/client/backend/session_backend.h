// SessionBackend: where a Session runs. Private to client/.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "millrace/client/session.h"

namespace millrace {

// What a run feeds, fetches and targets.
struct RunTensors {
  std::vector<Output> feeds;
  std::vector<Output> fetches;
  std::vector<Operation> targets;

  friend bool operator==(const RunTensors&, const RunTensors&) = default;
  template <class H>
  friend H AbslHashValue(H h, const RunTensors& t) {
    return H::combine(std::move(h), t.feeds, t.fetches, t.targets);
  }
};

// Of one run of what was prepared with `prepared`: these, with the time limit
// of `run` if it is shorter. INVALID_ARGUMENT if `run` asks for anything else.
StatusOr<RunOptions> OptionsOfRun(const RunOptions& prepared,
                                  const RunOptions& run);

// Thread-safe.
class BackendRun {
 public:
  virtual ~BackendRun() = default;
  virtual Status Run(std::vector<Tensor> feeds, const RunContext& context,
                     std::vector<Tensor>* fetches) = 0;
};

class SessionBackend {
 public:
  virtual ~SessionBackend() = default;

  // Adds nodes; the first call creates the session, also with an empty `def`.
  // One call at a time, all other methods after the first. After UNAVAILABLE
  // and DEADLINE_EXCEEDED of a later call nobody knows whether the nodes were
  // added: the next call has the same `def`, and adds them if they were not.
  virtual Status Extend(const GraphDef& def) = 0;

  // Thread-safe.
  virtual Status Run(const RunTensors& tensors, std::vector<Tensor> feeds,
                     const RunContext& context,
                     std::vector<Tensor>* fetches) = 0;
  virtual StatusOr<std::shared_ptr<BackendRun>> Prepare(
      const RunTensors& tensors, const RunOptions& options) = 0;
  virtual StatusOr<std::vector<DeviceAttributes>> ListDevices() = 0;
  // Ends what waits, with CANCELLED; also an Extend. Before Close.
  virtual void CancelAll() {}
  // Also without a first Extend.
  virtual Status Close() = 0;
};

std::unique_ptr<SessionBackend> MakeLocalBackend(const OpRegistry& ops,
                                                 const SessionOptions& options);
std::unique_ptr<SessionBackend> MakeRemoteBackend(
    const SessionOptions& options);
// For Session::Reset.
Status ResetContainers(const SessionOptions& options,
                       const std::vector<std::string>& containers);

}  // namespace millrace

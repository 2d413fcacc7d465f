// SessionBackend: where a Session runs. Private to client/.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "millrace/client/session.h"

namespace millrace {

// The feeds, fetches and targets of a run.
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

// Returns the options of one run of a callable that was prepared with
// `prepared`: these, with the time limit of `run` if it is shorter. Returns
// INVALID_ARGUMENT if `run` asks for anything else.
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
  // One call at a time; all other methods are called after the first. After
  // UNAVAILABLE and DEADLINE_EXCEEDED of a later call it is unknown whether the
  // nodes were added: the next call must have the same `def`, and adds them if
  // they were not.
  virtual Status Extend(const GraphDef& def) = 0;

  // Thread-safe.
  virtual Status Run(const RunTensors& tensors, std::vector<Tensor> feeds,
                     const RunContext& context,
                     std::vector<Tensor>* fetches) = 0;
  virtual StatusOr<std::shared_ptr<BackendRun>> Prepare(
      const RunTensors& tensors, const RunOptions& options) = 0;
  // Session::SetUpPartialRun and RunPartially.
  virtual StatusOr<std::string> SetUpPartialRun(const RunTensors& tensors) = 0;
  virtual Status RunPartially(const std::string& handle,
                              const RunTensors& tensors,
                              std::vector<Tensor> feeds,
                              const RunContext& context,
                              std::vector<Tensor>* fetches) = 0;
  virtual StatusOr<std::vector<DeviceAttributes>> ListDevices() = 0;
  // Ends waiting calls with CANCELLED, also an Extend. Called before Close.
  virtual void CancelAll() {}
  // May be called without a first Extend.
  virtual Status Close() = 0;
};

std::unique_ptr<SessionBackend> MakeLocalBackend(const OpRegistry& ops,
                                                 const SessionOptions& options);
std::unique_ptr<SessionBackend> MakeRemoteBackend(
    const SessionOptions& options);
// Implements Session::Reset.
Status ResetContainers(const SessionOptions& options,
                       const std::vector<std::string>& containers);

}  // namespace millrace

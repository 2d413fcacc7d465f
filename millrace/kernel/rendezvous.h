// Rendezvous: the table through which tensors cross devices, by key.
#pragma once

#include <string>

#include "absl/functional/any_invocable.h"
#include "millrace/base/memory/ref.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/graph/device_name.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

// "<send device>;<incarnation, 16 hex digits>;<recv
// device>;<name>;<frame>:<iteration>"
struct RendezvousKey {
  std::string send_device;
  uint64_t send_incarnation = 0;
  std::string recv_device;
  std::string tensor_name;
  uint64_t frame_id = 0;
  int64_t iteration = 0;

  std::string ToString() const;
  static StatusOr<RendezvousKey> Parse(absl::string_view key);
};

// The value under a key. A dead value comes from a branch that was not taken;
// its tensor may be empty.
struct RendezvousValue {
  Tensor tensor;
  bool is_dead = false;
};

// The rendezvous of one step. Thread-safe.
class Rendezvous : public RefCounted {
 public:
  // Never blocks. The receiver may come later; a waiting receiver is completed
  // on this thread. Values of one key are received in the order in which they
  // were sent.
  virtual Status Send(absl::string_view key, RendezvousValue value) = 0;

  // Calls `done` once, with the value or the error that ended the step (or the
  // cancellation), on the thread that delivers it, possibly before returning.
  // The sender may come later. `cancel` may be null, and must outlive the wait.
  using RecvDone = absl::AnyInvocable<void(StatusOr<RendezvousValue>) &&>;
  virtual void RecvAsync(absl::string_view key, CancelScope* cancel,
                         RecvDone done) = 0;

  // Ends every waiting and later Recv and Send with `status` (the first one
  // wins).
  virtual void StartAbort(const Status& status) = 0;
};

}  // namespace millrace

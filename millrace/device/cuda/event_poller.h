// EventPoller: looks at the events of GPUs, and runs what waits for them.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "millrace/base/threads/done.h"
#include "millrace/base/threads/thread.h"
#include "millrace/device/cuda/driver_api.h"
#include "millrace/tensor/tensor.h"

namespace millrace::cuda {

class Gpu;

// Something that waits for a place in a stream.
struct StreamWait {
  std::shared_ptr<Gpu> gpu;
  Stream stream = nullptr;  // on which the event is recorded
  Event event = nullptr;    // goes back to the card
  const char* what = "";    // for messages: "a copy to the host"
  // Memory that the work before the event uses: freed behind it.
  absl::InlinedVector<Tensor, 2> held;
  // Called with OK, or the card's error. May be empty.
  Done done;
};

// Thread-safe. One thread for all cards, which starts with the first wait; what
// has waited runs on the inter-op pool of the process.
class EventPoller {
 public:
  // Never destroyed.
  static EventPoller& Process();

  void Add(StreamWait wait);

 private:
  void Loop();
  // Returns whether the wait has ended, and with what.
  static bool HasEnded(StreamWait& wait, Status* status);
  static void Finish(StreamWait wait, Status status);

  Mutex mu_;
  CondVar changed_;
  std::deque<StreamWait> added_;
  Thread thread_;
  bool started_ = false;
};

}  // namespace millrace::cuda

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
  // Memory that the work before the event uses: freed behind it, that of GPUs
  // by the thread that looks, since all others may wait for it
  // (MemoryPool::Hold).
  absl::InlinedVector<Tensor, 2> held;
  // Called with OK, or the card's error. May be empty.
  Done done;
};

// Thread-safe. One thread for all cards, which starts with the first wait; what
// has waited runs on the inter-op pool of the process. When the process ends
// and the driver with it, nothing runs any more and nothing is freed.
class EventPoller {
 public:
  // Never destroyed.
  static EventPoller& Process();

  void Add(StreamWait wait);

 private:
  void Loop();
  enum class Look { kNotYet, kEnded, kNoDriver };
  // Sets with what a wait has ended.
  static Look LookAt(StreamWait& wait, Status* status);
  static void Finish(StreamWait wait, Status status);

  Mutex mu_;
  CondVar changed_;
  std::deque<StreamWait> added_;
  Thread thread_;
  bool started_ = false;
};

}  // namespace millrace::cuda

// HeldStream: the computing stream of a device of the stand-in, held up by a
// test.
#pragma once

#include "millrace/base/check.h"
#include "millrace/base/threads/thread.h"
#include "millrace/device/cuda/cuda_device.h"
#include "tests/gpu/standin_driver.h"

namespace millrace::cuda {

// What is enqueued behind this waits until Release, or a minute.
class HeldStream {
 public:
  explicit HeldStream(Device& device) {
    const auto stream = (*GpuOf(device))->Compute();
    MR_CHECK(stream.ok(), stream.status().ToString());
    MR_CHECK(TheStandIn().Enqueue(stream->get(), &Run, this) == 0, "Enqueue");
  }
  // Requires: Release was called, and the stream is idle.
  ~HeldStream() = default;
  HeldStream(const HeldStream&) = delete;
  HeldStream& operator=(const HeldStream&) = delete;

  void Release() { released_.Notify(); }
  bool IsReleased() const { return released_.HasBeenNotified(); }

 private:
  static void Run(void* self) {
    static_cast<HeldStream*>(self)->released_.WaitUntil(
        Deadline::AfterMillis(60'000));
  }
  Notification released_;
};

// Lets others run until `is_so`, at most a minute. Returns whether it is so.
template <class F>
bool YieldUntil(F is_so) {
  const Deadline deadline = Deadline::AfterMillis(60'000);
  while (!is_so()) {
    if (deadline.expired()) return false;
    Yield();
  }
  return true;
}

// Lets others run long enough for what they do unless something holds them up,
// or until `is_so`. On a busy machine it ends long before their limits do.
template <class F>
void YieldUnless(F is_so) {
  const Deadline deadline = Deadline::AfterMillis(500);
  for (int i = 0; i < 2000 && !is_so() && !deadline.expired(); ++i) Yield();
}

}  // namespace millrace::cuda

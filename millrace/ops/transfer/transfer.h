// The kernels of _Send and _Recv: between the step and its rendezvous.
#pragma once

#include <string>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/rendezvous.h"

namespace millrace::ops {

// Sends what its input is: a view of a variable, too, if it is one and the
// receiver is in this task.
class SendKernel {
 public:
  // Returns INVALID_ARGUMENT for devices that have no such names.
  static StatusOr<SendKernel> Make(const KernelInit& init);
  Status Run(KernelContext& ctx) const;

 private:
  std::string prefix_;  // of the key
  bool stays_in_task_ = false;
};

// Sets output 0 to what was sent.
class RecvKernel {
 public:
  static StatusOr<RecvKernel> Make(const KernelInit& init);
  void RunAsync(KernelContext& ctx, Done done) const;

 private:
  std::string prefix_;  // of the key
};

}  // namespace millrace::ops

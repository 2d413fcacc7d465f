// LazyFusedKernels: the kernels of fused nodes that rarely run by themselves.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "millrace/base/threads/thread.h"
#include "millrace/ops/fused/fused_kernels.h"

namespace millrace::ops {

// Makes FusedKernels when they first run: on GPUs each may have a text to
// compile. Thread-safe. Lives no longer than the kernel of its KernelInit.
class LazyFusedKernels {
 public:
  // Has none.
  LazyFusedKernels() = default;
  explicit LazyFusedKernels(const KernelInit& init)
      : state_(std::make_unique<State>(init)) {}
  // Has those of the node. Returns the error of FusedKernels::Make unless our
  // own rewriting has fused it.
  static StatusOr<LazyFusedKernels> Make(const KernelInit& init) {
    if (init.node().fused == nullptr) return FusedKernels::Make(init).status();
    return LazyFusedKernels(init);
  }
  // Has those of the node, if our own rewriting has fused it.
  static LazyFusedKernels Of(const KernelInit& init) {
    return init.node().fused != nullptr ? LazyFusedKernels(init)
                                        : LazyFusedKernels();
  }

  explicit operator bool() const { return state_ != nullptr; }

  // As of FusedKernels. Returns also the errors of FusedKernels::Make.
  Status RunOneByOne(KernelContext& ctx) const {
    {
      MutexLock lock(state_->mu);
      if (!state_->kernels) {
        MR_ASSIGN_OR_RETURN(state_->kernels, FusedKernels::Make(state_->init));
      }
    }
    return state_->kernels->RunOneByOne(ctx);
  }

 private:
  struct State {
    explicit State(const KernelInit& init) : init(init) {}

    const KernelInit init;
    Mutex mu;
    std::optional<FusedKernels> kernels;
  };

  std::unique_ptr<State> state_;
};

}  // namespace millrace::ops

// LazyGpuFunction: a function for GPUs that is compiled when it is first
// needed, for work that a library usually does.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "millrace/base/threads/thread.h"
#include "millrace/device/cuda/launch.h"

namespace millrace {

// Thread-safe. Lives no longer than the kernel of its KernelInit.
class LazyGpuFunction {
 public:
  LazyGpuFunction() = default;
  // The arguments of LoadGpuFunction.
  LazyGpuFunction(const KernelInit& init, const GpuSource& source,
                  std::string entry, std::vector<GpuDefine> defines)
      : state_(std::make_unique<State>(init, source, std::move(entry),
                                       std::move(defines))) {}

  // Returns what LoadGpuFunction returned when it was first asked, and asks
  // again after an error.
  StatusOr<GpuFunction> Get() const {
    MutexLock lock(state_->mu);
    if (state_->function.get() == nullptr) {
      MR_ASSIGN_OR_RETURN(
          state_->function,
          LoadGpuFunction(state_->init, state_->source, state_->entry.c_str(),
                          state_->defines));
    }
    return state_->function;
  }

 private:
  struct State {
    State(const KernelInit& init, const GpuSource& source, std::string entry,
          std::vector<GpuDefine> defines)
        : init(init),
          source(source),
          entry(std::move(entry)),
          defines(std::move(defines)) {}

    const KernelInit init;
    const GpuSource& source;
    const std::string entry;
    const std::vector<GpuDefine> defines;
    Mutex mu;
    GpuFunction function;
  };

  std::unique_ptr<State> state_;
};

}  // namespace millrace

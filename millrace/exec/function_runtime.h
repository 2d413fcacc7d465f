// FunctionRuntime: runs functions of a graph's library inside steps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/base/threads/thread_pool.h"
#include "millrace/exec/kernel_cache.h"
#include "millrace/exec/plan.h"
#include "millrace/kernel/function_runner.h"

namespace millrace {

// Bodies are compiled once per (function, attributes, device) and kept as long
// as this object. A call runs on its caller's device and in its caller's step.
// Thread-safe.
class FunctionRuntime final : public FunctionRunner {
 public:
  // All arguments must outlive this object.
  FunctionRuntime(const OpRegistry* ops, KernelCache* kernels, TaskQueue* pool)
      : ops_(ops), kernels_(kernels), pool_(pool) {}

  // Sets the current functions; a library only grows. `source` is the result of
  // source(), if it exists already.
  void SetLibrary(std::shared_ptr<const FunctionLibrary> library,
                  std::shared_ptr<const FunctionSource> source = nullptr);

  // INVALID_ARGUMENT and NOT_FOUND name the function.
  StatusOr<Handle> Instantiate(const NameAttrList& function) override;
  StatusOr<FunctionTypes> Compile(Handle handle, Device& device) override;
  // Returns RESOURCE_EXHAUSTED if calls nest deeper than kMaxCallDepth.
  void RunIn(const StepEnvironment& environment, Device& device, Handle handle,
             std::vector<Tensor> args, Views views, RunDone done) override;
  std::shared_ptr<const FunctionSource> source() override;

  static constexpr int kMaxCallDepth = 2000;

 private:
  StatusOr<std::shared_ptr<const Plan>> PlanFor(Handle handle, Device& device);

  const OpRegistry* const ops_;
  KernelCache* const kernels_;
  TaskQueue* const pool_;

  Mutex mu_;  // guards all below
  std::shared_ptr<const FunctionLibrary> library_;
  std::shared_ptr<const FunctionSource> source_;  // of library_; lazily made
  absl::flat_hash_map<std::string, Handle> handles_;
  std::vector<std::shared_ptr<const NameAttrList>> functions_;  // by handle
  absl::flat_hash_map<std::pair<Handle, std::string>,
                      std::shared_ptr<const Plan>>
      plans_;
  MemoryCharge charge_;  // of plans_
};

}  // namespace millrace

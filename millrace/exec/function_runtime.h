// FunctionRuntime: runs functions of a graph's library inside steps.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/base/threads/thread_pool.h"
#include "millrace/exec/kernel_cache.h"
#include "millrace/exec/plan.h"
#include "millrace/graph/function/differentiator.h"
#include "millrace/kernel/function_runner.h"
#include "millrace/kernel/function_targets.h"

namespace millrace {

// The things of which a runtime makes its plans. All pointers must outlive it.
struct FunctionRuntimeOptions {
  const OpRegistry* ops = nullptr;
  KernelCache* kernels = nullptr;
  TaskQueue* pool = nullptr;
  FunctionDifferentiator differentiate = nullptr;  // null: no gradients
  std::shared_ptr<FunctionTargets> targets;  // null: the caller's device only
};

// Bodies are compiled once per (function, attributes, device) and kept as long
// as this object. A call runs on its caller's device and in its caller's step.
// The function SymbolicGradient is the gradient of the function of its
// attribute `f`: that which the library names or, if it names none, that which
// is built of the body. Thread-safe.
class FunctionRuntime final : public FunctionRunner {
 public:
  explicit FunctionRuntime(FunctionRuntimeOptions options)
      : options_(std::move(options)) {}

  // Sets the current functions; a library only grows. `source` is the result of
  // source(), if it exists already.
  void SetLibrary(std::shared_ptr<const FunctionLibrary> library,
                  std::shared_ptr<const FunctionSource> source = nullptr);

  // INVALID_ARGUMENT and NOT_FOUND name the function.
  StatusOr<Handle> Instantiate(const NameAttrList& function) override;
  StatusOr<Handle> Instantiate(const NameAttrList& function,
                               std::vector<int64_t> read) override;
  StatusOr<FunctionTypes> Compile(Handle handle, Device& device) override;
  // Returns RESOURCE_EXHAUSTED if calls nest deeper than kMaxCallDepth.
  void RunIn(const StepEnvironment& environment, Device& device, Handle handle,
             std::vector<Tensor> args, Views views, RunDone done) override;
  void RunOn(const StepEnvironment& environment, Device& here,
             const std::string& target, const NameAttrList& function,
             std::vector<DataType> result_types, std::vector<Tensor> args,
             RunDone done) override;
  std::shared_ptr<const FunctionSource> source() override;
  std::shared_ptr<const FunctionSource> SourceOf(
      std::shared_ptr<const FunctionLibrary> library) override;

  static constexpr int kMaxCallDepth = 2000;

 private:
  // `slots` counts for devices with memory of their own.
  StatusOr<std::shared_ptr<const Plan>> PlanFor(Handle handle, Device& device,
                                                SlotMemory slots);
  // Says how a call is run: where its arguments and results lie, and whether it
  // ends when the device has done its work.
  struct Form {
    SlotMemory slots = SlotMemory::kByType;
    Views views = Views::kBind;
    bool ends_when_idle = false;
  };
  void Start(const StepEnvironment& environment, Device& device, Handle handle,
             std::vector<Tensor> args, Form form, RunDone done);
  // The function of a handle, and the results that its calls need.
  struct Instance {
    NameAttrList function;
    std::optional<std::vector<int64_t>> read;  // nothing: all
  };
  StatusOr<Handle> Add(NameAttrList function,
                       std::optional<std::vector<int64_t>> read);
  StatusOr<Graph> BodyOf(const Instance& instance,
                         const FunctionLibrary& library) const;

  const FunctionRuntimeOptions options_;

  Mutex mu_;  // guards all below
  std::shared_ptr<const FunctionLibrary> library_;
  std::shared_ptr<const FunctionSource> source_;  // of library_; lazily made
  absl::flat_hash_map<std::string, Handle> handles_;
  std::vector<std::shared_ptr<const Instance>> functions_;  // by handle
  struct PlanKey {
    Handle handle = 0;
    std::string device;
    SlotMemory slots = SlotMemory::kByType;
    friend bool operator==(const PlanKey&, const PlanKey&) = default;
    template <class H>
    friend H AbslHashValue(H h, const PlanKey& k) {
      return H::combine(std::move(h), k.handle, k.device, k.slots);
    }
  };
  absl::flat_hash_map<PlanKey, std::shared_ptr<const Plan>> plans_;
  MemoryCharge charge_;  // of plans_
};

}  // namespace millrace

// FunctionRunner: runs functions of the graph's library, inside a step or in an
// object that outlives it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "millrace/graph/attr/attr_value.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

class Device;
class FunctionLibrary;
class FunctionRunner;
class OpRegistry;

// A snapshot of a graph's functions, for work that continues after the session:
// iterators of data sets. Immutable.
class FunctionSource {
 public:
  virtual ~FunctionSource() = default;
  // Returns a runner with kernels of its own, so that stateful ops begin anew.
  // It must not outlive the devices on which it runs.
  virtual std::shared_ptr<FunctionRunner> NewRunner() const = 0;
  virtual const FunctionLibrary& library() const = 0;
  // Returns the ops of which functions may have nodes.
  virtual const OpRegistry& ops() const = 0;
};

struct FunctionTypes {
  std::vector<DataType> args;
  std::vector<DataType> results;
};

// exec provides it to kernels. Thread-safe.
class FunctionRunner {
 public:
  virtual ~FunctionRunner() = default;
  using Handle = int64_t;
  // Finds the function and binds its attributes.
  virtual StatusOr<Handle> Instantiate(const NameAttrList& function) = 0;
  // Does the same for calls that need only the results `read`, in the form of
  // builtin::kReadResults: the other results are not valid, and there may be
  // fewer; nothing runs that the results do not need.
  virtual StatusOr<Handle> Instantiate(const NameAttrList& function,
                                       std::vector<int64_t> read) = 0;
  // Compiles it for a device. Returns INVALID_ARGUMENT or the like for a bad
  // body.
  virtual StatusOr<FunctionTypes> Compile(Handle handle, Device& device) = 0;
  // Runs it as part of the step of `environment`, which is copied: with the
  // same rendezvous, cancel scope and deadline. Results that are views of
  // variables are bound, unless the caller passes them on at once, as calls do.
  // On a device with memory of its own, arguments of plain types but int32 lie
  // there, and so do results that are handed on; those that are bound can be
  // read: they lie in host memory.
  enum class Views { kBind, kHandOn };
  using RunDone =
      absl::AnyInvocable<void(Status, std::vector<Tensor> outputs) &&>;
  virtual void RunIn(const StepEnvironment& environment, Device& device,
                     Handle handle, std::vector<Tensor> args, Views views,
                     RunDone done) = 0;
  // Does the same in the caller's step.
  void Run(KernelContext& caller, Handle handle, std::vector<Tensor> args,
           Views views, RunDone done) {
    RunIn(caller.step(), caller.device(), handle, std::move(args), views,
          std::move(done));
  }
  // Runs `function` on the device with the full name `target`, which may be one
  // of another task; its results have `result_types` there. `here` is the
  // caller's device. Returns INTERNAL for a device that is not known.
  virtual void RunOn(const StepEnvironment& environment, Device& here,
                     const std::string& target, const NameAttrList& function,
                     std::vector<DataType> result_types,
                     std::vector<Tensor> args, RunDone done) = 0;
  // Returns the current functions; never null.
  virtual std::shared_ptr<const FunctionSource> source() = 0;
  // Returns other functions for the same devices.
  virtual std::shared_ptr<const FunctionSource> SourceOf(
      std::shared_ptr<const FunctionLibrary> library) = 0;
};

}  // namespace millrace

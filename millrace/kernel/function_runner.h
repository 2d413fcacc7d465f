// FunctionRunner: runs functions of the graph's library inside a step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "millrace/graph/attr_value.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

class KernelContext;

// Given to kernels by exec. Thread-safe.
class FunctionRunner {
 public:
  virtual ~FunctionRunner() = default;
  using Handle = int64_t;
  // Compiles (or finds) the function with its attributes bound.
  virtual StatusOr<Handle> Instantiate(const NameAttrList& function) = 0;
  // Runs it in the caller's step: same rendezvous, cancel scope and deadline.
  using RunDone =
      absl::AnyInvocable<void(Status, std::vector<Tensor> outputs) &&>;
  virtual void Run(KernelContext& caller, Handle handle,
                   std::vector<Tensor> args, RunDone done) = 0;
};

}  // namespace millrace

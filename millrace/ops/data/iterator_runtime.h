// IteratorRuntime: what an iterator of a data set runs on, from its making to
// its end: longer than any step, perhaps longer than the session.
#pragma once

#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "millrace/base/memory/retire.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/kernel/device.h"
#include "millrace/kernel/function_runner.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/ops/data/dataset.h"

namespace millrace::ops {

// Thread-safe. Held by shared_ptr by the iterator and by all that it has
// begun; keeps the device meanwhile.
class IteratorRuntime : public std::enable_shared_from_this<IteratorRuntime> {
 public:
  // `ctx`: of the step that makes the iterator.
  static std::shared_ptr<IteratorRuntime> Make(KernelContext& ctx);

  Device& device() const { return device_; }
  Lanes& lanes() const { return device().lanes(); }
  Allocator* allocator() const { return device().allocator(); }
  FileSystem* files() const { return files_; }
  // Cancelled when the iterator goes.
  const std::shared_ptr<CancelScope>& scope() const { return scope_; }

  // Runs `function` of `source` for this iterator. Each function has a runner
  // of its own, as stateful ops of two functions may have one name; passes over
  // one data set share it, so that random numbers go on.
  std::shared_ptr<FunctionRunner> RunnerOf(
      const std::shared_ptr<const FunctionSource>& source,
      const NameAttrList& function);
  // For a call of a function; without rendezvous. `container` and `cancel`
  // outlive the call.
  StepEnvironment Environment(FunctionRunner* runner, StepContainer* container,
                              CancelScope* cancel);

  // An iterator over `dataset`. Counts how deep such calls nest.
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      const DatasetValue& dataset);

 private:
  explicit IteratorRuntime(KernelContext& ctx);

  Device& device_;
  FileSystem* const files_;
  const ObjectUse device_use_, files_use_;
  const std::string session_handle_;
  // The depth of the step that made it: calls that make iterators that make
  // calls end where calls of functions may not nest deeper.
  const int call_depth_;
  const std::shared_ptr<CancelScope> scope_ = std::make_shared<CancelScope>();
  std::atomic<int64_t> next_step_;

  Mutex mu_;
  struct Runner {
    std::shared_ptr<const FunctionSource> source;
    std::shared_ptr<FunctionRunner> runner;
  };
  absl::flat_hash_map<std::pair<const FunctionSource*, std::string>, Runner>
      runners_;  // guarded by mu_
};

}  // namespace millrace::ops

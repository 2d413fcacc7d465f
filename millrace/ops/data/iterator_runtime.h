// IteratorRuntime: the environment of an iterator of a data set, from its
// creation to its end. It outlives any step, perhaps the session.
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
#include "millrace/ops/data/iteration_stats.h"

namespace millrace::ops {

// Thread-safe. The iterator and everything that it has started hold it by
// shared_ptr; it keeps the device alive.
class IteratorRuntime : public std::enable_shared_from_this<IteratorRuntime> {
 public:
  // `ctx` belongs to the step that makes the iterator.
  static std::shared_ptr<IteratorRuntime> Make(KernelContext& ctx);

  Device& device() const { return device_; }
  Lanes& lanes() const { return device().lanes(); }
  Allocator* allocator() const { return device().host_allocator(); }
  FileSystem* files() const { return files_; }
  // Cancelled when the iterator is destroyed.
  const std::shared_ptr<CancelScope>& scope() const { return scope_; }

  // Returns the runner of `function` of `source` for this iterator. Each
  // function has its own runner, since stateful ops of two functions may have
  // the same name; passes over one data set share it, so that random numbers
  // continue.
  std::shared_ptr<FunctionRunner> RunnerOf(
      const std::shared_ptr<const FunctionSource>& source,
      const NameAttrList& function);
  // Returns the environment for a call of a function, without a rendezvous.
  // `container` and `cancel` must outlive the call.
  StepEnvironment Environment(FunctionRunner* runner, StepContainer* container,
                              CancelScope* cancel);

  // Makes an iterator over `dataset`. Limits how deeply such calls nest.
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      const DatasetValue& dataset);

  // Returns the data sets whose iterators are being made on this thread, from
  // the one that the program iterates over to the current one. Empty if these
  // are made later, such as for another pass over a part of it.
  absl::Span<const DatasetValue* const> DatasetsAbove() const;

  // The collector of figures for iterators that are made from now on; null
  // without one.
  void set_stats(std::shared_ptr<IterationStats> stats) {
    MutexLock lock(mu_);
    stats_ = std::move(stats);
  }
  std::shared_ptr<IterationStats> stats() const {
    MutexLock lock(mu_);
    return stats_;
  }

 private:
  explicit IteratorRuntime(KernelContext& ctx);

  Device& device_;
  FileSystem* const files_;
  const ObjectUse device_use_, files_use_;
  const std::string session_handle_;
  // The call depth of the step that made this: calls that make iterators that
  // make calls are limited as nested calls of functions are.
  const int call_depth_;
  const std::shared_ptr<CancelScope> scope_ = std::make_shared<CancelScope>();
  std::atomic<int64_t> next_step_;
  // The data set that the program iterates over, for comparisons only.
  std::atomic<const DatasetValue*> root_{nullptr};

  mutable Mutex mu_;
  std::shared_ptr<IterationStats> stats_;  // guarded by mu_
  struct Runner {
    std::shared_ptr<const FunctionSource> source;
    std::shared_ptr<FunctionRunner> runner;
  };
  absl::flat_hash_map<std::pair<const FunctionSource*, std::string>, Runner>
      runners_;  // guarded by mu_
};

}  // namespace millrace::ops

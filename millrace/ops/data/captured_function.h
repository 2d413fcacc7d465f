// CapturedFunction: a function of the graph with the tensors that it captured.
// FunctionCall: a call of one by an iterator.
#pragma once

#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "millrace/kernel/function_runner.h"
#include "millrace/ops/data/dataset.h"
#include "millrace/ops/data/iterator_runtime.h"

namespace millrace::ops {

// Part of a data set; immutable. Keeps the functions of its graph alive.
class CapturedFunction {
 public:
  // Makes the function of attribute `attr`, with the inputs of the argument
  // `captured` as captured tensors.
  static StatusOr<std::shared_ptr<const CapturedFunction>> Make(
      KernelContext& ctx, absl::string_view attr, absl::string_view captured);
  // Makes `function`, one of several in an attribute of the node, with these
  // captured tensors.
  static StatusOr<std::shared_ptr<const CapturedFunction>> Make(
      KernelContext& ctx, AttrValue::Func function,
      std::vector<Tensor> captured);

  const NameAttrList& function() const { return *function_; }
  const std::vector<Tensor>& captured() const { return captured_; }
  const std::shared_ptr<const FunctionSource>& source() const {
    return source_;
  }
  // Returns whether the function, or one that it names, has a node of an op for
  // which `is_wanted` says true.
  bool Uses(absl::FunctionRef<bool(absl::string_view op)> is_wanted) const;
  // Returns the op and node whose function this is, for messages.
  const std::string& user() const { return user_; }

 private:
  AttrValue::Func function_;
  std::vector<Tensor> captured_;
  std::shared_ptr<const FunctionSource> source_;
  std::string user_;
};

// A captured function that one iterator is ready to call.
class BoundFunction {
 public:
  // Returns INVALID_ARGUMENT if the function does not take `args` and the
  // captured tensors.
  Status Bind(IteratorRuntime& runtime,
              std::shared_ptr<const CapturedFunction> function,
              absl::Span<const DataType> args);
  const std::vector<DataType>& result_types() const { return types_.results; }
  // Returns an error of a call with the name of the function's user in front,
  // as in stock for the functions of maps, filters and interleaves.
  Status InContext(const Status& status) const;

 private:
  friend class FunctionCall;
  // Returns `args` followed by the captured tensors.
  Element WithCaptured(const Element& args) const;

  std::shared_ptr<const CapturedFunction> function_;
  std::shared_ptr<FunctionRunner> runner_;
  FunctionRunner::Handle handle_ = 0;
  FunctionTypes types_;
};

// Makes one call at a time. May be used by one thread at a time.
class FunctionCall {
 public:
  FunctionCall() = default;
  FunctionCall(const FunctionCall&) = delete;
  FunctionCall& operator=(const FunctionCall&) = delete;

  bool in_progress() const { return call_ != nullptr; }
  // Calls `function`, which must outlive the call, with `args` and the captured
  // tensors. Wakes the poll's task when the call ends. With `on_pool`, the call
  // starts on a thread of the pool instead of this one.
  void Start(PollContext& ctx, const BoundFunction& function, Element args,
             bool on_pool = false);
  // Returns kPending while the call runs, then moves the results out once. A
  // call that was cancelled because nobody waited for it is started again.
  StatusOr<Pull> Finish(PollContext& ctx, Element* results);
  // Makes a call whose end nobody awaits. It outlives the iterator by ten
  // seconds at most; an error is logged.
  static void RunDetached(std::shared_ptr<IteratorRuntime> runtime,
                          const BoundFunction& function, Element args);

 private:
  struct State;
  static std::shared_ptr<State> NewState(
      std::shared_ptr<IteratorRuntime> runtime, const BoundFunction& function,
      CancelScope* parent);
  static void Schedule(std::shared_ptr<State> state,
                       FunctionRunner::Handle handle, Element args);
  static void Run(std::shared_ptr<State> state, FunctionRunner::Handle handle,
                  Element args);

  const BoundFunction* function_ = nullptr;
  Element args_;
  std::shared_ptr<State> call_;
};

// Returns the value of a predicate's result, a scalar bool as in TensorFlow.
// Returns INVALID_ARGUMENT for other results.
StatusOr<bool> PredicateOf(const Element& results);

}  // namespace millrace::ops

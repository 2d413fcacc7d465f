// CapturedFunction: a function of the graph with the tensors that it captured.
// FunctionCall: a call of it by an iterator.
#pragma once

#include <memory>
#include <vector>

#include "millrace/kernel/function_runner.h"
#include "millrace/ops/data/dataset.h"
#include "millrace/ops/data/iterator_runtime.h"

namespace millrace::ops {

// Part of a data set, immutable. It keeps the functions of its graph.
class CapturedFunction {
 public:
  // The function of attribute `attr`; captured are the inputs of the argument
  // `captured`.
  static StatusOr<std::shared_ptr<const CapturedFunction>> Make(
      KernelContext& ctx, absl::string_view attr, absl::string_view captured);

  const NameAttrList& function() const { return *function_; }
  const std::vector<Tensor>& captured() const { return captured_; }
  const std::shared_ptr<const FunctionSource>& source() const {
    return source_;
  }
  // Op and node whose function it is, for messages.
  const std::string& user() const { return user_; }

 private:
  AttrValue::Func function_;
  std::vector<Tensor> captured_;
  std::shared_ptr<const FunctionSource> source_;
  std::string user_;
};

// A captured function ready to be called by one iterator.
class BoundFunction {
 public:
  // INVALID_ARGUMENT if the function does not take `args` and what it
  // captured.
  Status Bind(IteratorRuntime& runtime,
              std::shared_ptr<const CapturedFunction> function,
              absl::Span<const DataType> args);
  const std::vector<DataType>& result_types() const { return types_.results; }
  // An error of a call, with whose function it was in front, as stock says it
  // for those of maps, filters and interleaves.
  Status InContext(const Status& status) const;

 private:
  friend class FunctionCall;
  // `args` and what the function captured.
  Element WithCaptured(const Element& args) const;

  std::shared_ptr<const CapturedFunction> function_;
  std::shared_ptr<FunctionRunner> runner_;
  FunctionRunner::Handle handle_ = 0;
  FunctionTypes types_;
};

// One call at a time; one thread at a time.
class FunctionCall {
 public:
  FunctionCall() = default;
  FunctionCall(const FunctionCall&) = delete;
  FunctionCall& operator=(const FunctionCall&) = delete;

  bool in_progress() const { return call_ != nullptr; }
  // Calls `function`, which outlives the call, with `args` and what it
  // captured. The poll's task is woken at the end. `on_pool`: begins on a
  // thread of the pool instead of this one.
  void Start(PollContext& ctx, const BoundFunction& function, Element args,
             bool on_pool = false);
  // kPending, or the results once. Where the call ended because nobody waited
  // for it, it is made again.
  StatusOr<Pull> Finish(PollContext& ctx, Element* results);
  // A call for which nobody waits, and which goes on after the iterator is
  // gone, for ten seconds at most. An error is logged.
  static void RunAlone(std::shared_ptr<IteratorRuntime> runtime,
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

// TensorFlow's predicates: a scalar bool. INVALID_ARGUMENT for others.
StatusOr<bool> PredicateOf(const Element& results);

}  // namespace millrace::ops

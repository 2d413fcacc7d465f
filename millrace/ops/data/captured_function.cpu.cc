#include "millrace/ops/data/captured_function.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "millrace/base/log.h"
#include "millrace/graph/graph.h"
#include "millrace/kernel/component_types.h"
#include "millrace/kernel/step_container.h"

namespace millrace::ops {
namespace {

constexpr int kAloneMillis = 10'000;

}  // namespace

StatusOr<std::shared_ptr<const CapturedFunction>> CapturedFunction::Make(
    KernelContext& ctx, absl::string_view attr, absl::string_view captured) {
  MR_ASSIGN_OR_RETURN(AttrValue::Func function,
                      GetAttr<AttrValue::Func>(ctx.node().attrs, attr));
  MR_ASSIGN_OR_RETURN(
      const ArgRange range,
      FindArgRange(ctx.node().op->inputs, ctx.node().attrs, captured));
  std::vector<Tensor> tensors;
  for (int i = range.begin; i < range.end; ++i) tensors.push_back(ctx.input(i));
  return Make(ctx, std::move(function), std::move(tensors));
}

StatusOr<std::shared_ptr<const CapturedFunction>> CapturedFunction::Make(
    KernelContext& ctx, AttrValue::Func function,
    std::vector<Tensor> captured) {
  if (ctx.step().functions == nullptr) {
    return FailedPrecondition("the step has no functions");
  }
  auto made = std::make_shared<CapturedFunction>();
  made->function_ = std::move(function);
  made->captured_ = std::move(captured);
  made->source_ = ctx.step().functions->source();
  made->user_ = absl::StrCat(ctx.node().op->name, ":", ctx.node().name);
  return std::shared_ptr<const CapturedFunction>(std::move(made));
}

bool CapturedFunction::Uses(
    absl::FunctionRef<bool(absl::string_view op)> is_wanted) const {
  const FunctionLibrary& library = source_->library();
  absl::flat_hash_set<absl::string_view> seen;
  std::vector<const FunctionDef*> bodies;
  const auto add = [&](const std::string& name) {
    const FunctionDef* const body = library.Find(name);
    if (body != nullptr && seen.insert(body->signature.name).second) {
      bodies.push_back(body);
    }
  };
  add(function_->name);
  while (!bodies.empty()) {
    const FunctionDef& body = *bodies.back();
    bodies.pop_back();
    for (const NodeDef& node : body.nodes) {
      if (is_wanted(node.op)) return true;
      add(node.op);  // a function may be called by its name
      for (const auto& [attr, value] : node.attrs) {
        const auto* const called = value.get<AttrValue::Func>();
        if (called != nullptr && *called != nullptr) add((*called)->name);
      }
    }
  }
  return false;
}

Status BoundFunction::Bind(IteratorRuntime& runtime,
                           std::shared_ptr<const CapturedFunction> function,
                           absl::Span<const DataType> args) {
  function_ = std::move(function);
  runner_ = runtime.RunnerOf(function_->source(), function_->function());
  MR_ASSIGN_OR_RETURN(handle_, runner_->Instantiate(function_->function()));
  MR_ASSIGN_OR_RETURN(types_, runner_->Compile(handle_, runtime.device()));
  std::vector<DataType> given(args.begin(), args.end());
  for (const Tensor& t : function_->captured()) given.push_back(t.dtype());
  if (types_.args == given) return OkStatus();
  return InvalidArgument("Function ", function_->function().name, " takes ",
                         TypesText(types_.args), " and is given ",
                         TypesText(given));
}

Element BoundFunction::WithCaptured(const Element& args) const {
  const std::vector<Tensor>& captured = function_->captured();
  Element all = args;
  all.insert(all.end(), captured.begin(), captured.end());
  return all;
}

Status BoundFunction::InContext(const Status& status) const {
  if (status.ok()) return status;
  return Prefix(
      absl::StrCat(
          "Error in user-defined function passed to ", function_->user(),
          " transformation with iterator: ", function_->function().name, ": "),
      status);
}

// The state of a call, shared with its callback.
struct FunctionCall::State {
  std::shared_ptr<IteratorRuntime> runtime;
  std::shared_ptr<FunctionRunner> runner;
  std::shared_ptr<CancelScope> parent;
  StepContainer container;
  std::unique_ptr<CancelScope> scope;  // an error in the function cancels it
  std::weak_ptr<PollTask> task;
  std::string user;  // set by RunDetached, whose errors are logged

  Mutex mu;  // guards all below
  bool over = false;
  bool waits = false;  // the task must be woken
  Status status;
  Element results;
};

std::shared_ptr<FunctionCall::State> FunctionCall::NewState(
    std::shared_ptr<IteratorRuntime> runtime, const BoundFunction& function,
    CancelScope* parent) {
  auto state = std::make_shared<State>();
  state->runtime = std::move(runtime);
  state->runner = function.runner_;
  state->scope = std::make_unique<CancelScope>(parent);
  return state;
}

void FunctionCall::Start(PollContext& ctx, const BoundFunction& function,
                         Element args, bool on_pool) {
  function_ = &function;
  args_ = std::move(args);
  call_ =
      NewState(ctx.runtime().shared_from_this(), function, ctx.scope().get());
  call_->parent = ctx.scope();
  call_->task = ctx.task();
  call_->waits = on_pool;
  Element all = function.WithCaptured(args_);
  if (!on_pool) return Run(call_, function.handle_, std::move(all));
  Schedule(call_, function.handle_, std::move(all));
}

void FunctionCall::RunDetached(std::shared_ptr<IteratorRuntime> runtime,
                               const BoundFunction& function, Element args) {
  auto state = NewState(std::move(runtime), function, nullptr);
  state->user = function.function_->user();
  state->scope->CancelAt(
      Deadline::AfterMillis(kAloneMillis), state->runtime->lanes().timer,
      DeadlineExceeded("function ", function.function_->function().name,
                       ", for which nobody waits, took longer than ",
                       kAloneMillis, " ms"));
  Schedule(std::move(state), function.handle_, function.WithCaptured(args));
}

void FunctionCall::Schedule(std::shared_ptr<State> state,
                            FunctionRunner::Handle handle, Element args) {
  TaskQueue& pool = state->runtime->lanes().inter_op;
  pool.Schedule(
      [state = std::move(state), handle, args = std::move(args)]() mutable {
        Run(std::move(state), handle, std::move(args));
      });
}

void FunctionCall::Run(std::shared_ptr<State> state,
                       FunctionRunner::Handle handle, Element args) {
  State& call = *state;
  const StepEnvironment environment = call.runtime->Environment(
      call.runner.get(), &call.container, call.scope.get());
  call.runner->RunIn(
      environment, call.runtime->device(), handle, std::move(args),
      FunctionRunner::Views::kBind,
      [state = std::move(state)](Status status, std::vector<Tensor> results) {
        if (!status.ok() && !state->user.empty()) {
          MR_LOG(Warning) << state->user << " at its end: " << status;
        }
        bool wake = false;
        {
          MutexLock lock(state->mu);
          state->over = true;
          state->status = std::move(status);
          state->results = std::move(results);
          wake = state->waits;
        }
        const auto task = wake ? state->task.lock() : nullptr;
        if (task != nullptr) task->Wake();
      });
}

StatusOr<Pull> FunctionCall::Finish(PollContext& ctx, Element* results) {
  for (;;) {
    const std::shared_ptr<State> call = call_;
    {
      MutexLock lock(call->mu);
      if (!call->over) {
        call->waits = true;
        return Pull::kPending;
      }
    }
    call_ = nullptr;
    const std::shared_ptr<CancelScope>& whole = ctx.runtime().scope();
    if (!call->status.ok() && call->parent != whole &&
        call->parent->cancelled() && !whole->cancelled()) {
      // Nobody waited for the call any more.
      if (ctx.scope()->cancelled()) {
        call_ = call;
        return Pull::kPending;
      }
      Start(ctx, *function_, std::move(args_));
      continue;
    }
    args_.clear();
    MR_RETURN_IF_ERROR(call->status);
    for (const Tensor& t : call->results) {
      if (!t.valid()) {
        return InvalidArgument("Function ",
                               function_->function_->function().name,
                               " returned a dead tensor");
      }
    }
    *results = std::move(call->results);
    return Pull::kElement;
  }
}

StatusOr<bool> PredicateOf(const Element& results) {
  if (results.size() != 1 || results[0].dtype() != DataType::kBool ||
      results[0].num_elements() != 1) {
    return InvalidArgument("Filter predicate `f` must return a scalar bool.");
  }
  return results[0].flat<bool>()[0];
}

}  // namespace millrace::ops

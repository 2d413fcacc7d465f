#include <algorithm>
#include <atomic>
#include <memory>

#include "millrace/base/clock.h"
#include "millrace/base/threads/batch.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/kernel/function_runner.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/tensor/dispatch.h"

namespace millrace {
namespace {

// The executor puts arguments in and takes results out itself.
Status RunSlot(KernelContext& ctx) {
  return Internal(ctx.node().op->name, " ran outside of the executor");
}

StatusOr<FunctionRunner::Handle> Instantiate(KernelContext& ctx,
                                             const AttrValue::Func& function) {
  if (ctx.step().functions == nullptr) {
    return FailedPrecondition("the step has no functions");
  }
  return ctx.step().functions->Instantiate(*function);
}

// Hands a function's results to the outputs and completes.
FunctionRunner::RunDone ToOutputs(KernelContext& ctx, Done done) {
  return [&ctx, done = std::move(done)](Status status,
                                        std::vector<Tensor> outputs) mutable {
    if (status.ok() && static_cast<int>(outputs.size()) != ctx.num_outputs()) {
      status = InvalidArgument("the function has ", outputs.size(),
                               " results, expected ", ctx.num_outputs());
    }
    for (size_t i = 0; status.ok() && i < outputs.size(); ++i) {
      if (outputs[i].valid()) {
        // What reads the output trusts the type that the node promises.
        const DataType wanted = ctx.output_type(static_cast<int>(i));
        if (outputs[i].dtype() != wanted) {
          status = InvalidArgument("result ", i, " of the function has type ",
                                   DataTypeName(outputs[i].dtype()),
                                   ", expected ", DataTypeName(wanted));
          break;
        }
        ctx.set_output(static_cast<int>(i), std::move(outputs[i]));
      } else {
        ctx.set_output_dead(static_cast<int>(i));
      }
    }
    std::move(done)(std::move(status));
  };
}

std::vector<Tensor> TakeInputs(KernelContext& ctx, int first) {
  std::vector<Tensor> args;
  for (int i = first; i < ctx.num_inputs(); ++i) {
    args.push_back(ctx.TakeInput(i));
  }
  return args;
}

class CallKernel {
 public:
  static StatusOr<CallKernel> Make(const KernelInit& init) {
    CallKernel k;
    MR_ASSIGN(k.function_, init.Attr<AttrValue::Func>("f"));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const auto handle = Instantiate(ctx, function_);
    if (!handle.ok()) return std::move(done)(handle.status());
    ctx.step().functions->Run(ctx, *handle, TakeInputs(ctx, 0),
                              FunctionRunner::Views::kHandOn,
                              ToOutputs(ctx, std::move(done)));
  }

 private:
  AttrValue::Func function_;
};

// TensorFlow's rule of truth for conditions of any type.
StatusOr<bool> IsTrue(const Tensor& t) {
  if (t.rank() != 0) return t.num_elements() > 0;
  if (t.dtype() == DataType::kBool) return t.scalar<bool>();
  if (t.dtype() == DataType::kString) {
    return t.scalar<StringElement>().size() > 0;
  }
  bool truth = false;
  MR_RETURN_IF_ERROR(Dispatch(RealTypes{}, t.dtype(), [&]<class T>() -> Status {
    truth = !(t.scalar<T>() == T(0));
    return OkStatus();
  }));
  return truth;
}

class IfKernel {
 public:
  static StatusOr<IfKernel> Make(const KernelInit& init) {
    IfKernel k;
    MR_ASSIGN(k.then_, init.Attr<AttrValue::Func>("then_branch"));
    MR_ASSIGN(k.else_, init.Attr<AttrValue::Func>("else_branch"));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const StatusOr<bool> truth = IsTrue(ctx.input(0));
    if (!truth.ok()) return std::move(done)(truth.status());
    const auto handle = Instantiate(ctx, *truth ? then_ : else_);
    if (!handle.ok()) return std::move(done)(handle.status());
    ctx.step().functions->Run(ctx, *handle, TakeInputs(ctx, 1),
                              FunctionRunner::Views::kHandOn,
                              ToOutputs(ctx, std::move(done)));
  }

 private:
  AttrValue::Func then_, else_;
};

class SwitchCaseKernel {
 public:
  static StatusOr<SwitchCaseKernel> Make(const KernelInit& init) {
    SwitchCaseKernel k;
    MR_ASSIGN(k.branches_, init.Attr<AttrValue::FuncList>("branches"));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const Tensor& index = ctx.input(0);
    if (index.rank() != 0) {
      return std::move(done)(
          InvalidArgument("branch_index must be scalar, but has shape ",
                          index.shape().DebugString()));
    }
    // Numbers below 0 are the largest ones.
    const auto number = static_cast<uint32_t>(index.scalar<int32_t>());
    const AttrValue::Func& branch =
        branches_[std::min<size_t>(number, branches_.size() - 1)];
    const auto handle = Instantiate(ctx, branch);
    if (!handle.ok()) return std::move(done)(handle.status());
    ctx.step().functions->Run(ctx, *handle, TakeInputs(ctx, 1),
                              FunctionRunner::Views::kHandOn,
                              ToOutputs(ctx, std::move(done)));
  }

 private:
  AttrValue::FuncList branches_;  // one at least
};

// One run of a While: condition, body, condition, ... Each call may complete
// inline, so the loop goes on from a flag and not by recursion.
class WhileRun : public std::enable_shared_from_this<WhileRun> {
 public:
  WhileRun(KernelContext& ctx, FunctionRunner::Handle condition,
           FunctionRunner::Handle body, Done done)
      : ctx_(ctx),
        condition_(condition),
        body_(body),
        values_(TakeInputs(ctx, 0)),
        done_(std::move(done)) {}

  // Makes calls until one does not complete inline. Not for long on a thread
  // that has something else to do, or for which somebody waits: the calls look
  // at that one by one, and each is short.
  void Continue() {
    const int64_t began = NowNanos();
    bool again = true;
    while (again) {
      phase_.store(kCalling);
      Call();
      again = phase_.exchange(kWaiting) == kCompleted && Advance();
      if (again && NowNanos() - began > kInlineNanos) {
        Batch::FlushAll();
        ctx_.device().lanes().inter_op.Schedule(
            [self = shared_from_this()] { self->Continue(); });
        return;
      }
    }
  }

 private:
  // A wake-up in each such time costs nothing.
  static constexpr int64_t kInlineNanos = 1'000'000;
  enum { kCalling, kWaiting, kCompleted };

  void Call() {
    auto self = shared_from_this();
    ctx_.step().functions->Run(
        ctx_, in_body_ ? body_ : condition_,
        in_body_ ? std::move(values_) : values_,
        in_body_ ? FunctionRunner::Views::kHandOn
                 : FunctionRunner::Views::kBind,
        [self](Status status, std::vector<Tensor> outputs) {
          self->status_ = std::move(status);
          self->outputs_ = std::move(outputs);
          if (self->phase_.exchange(kCompleted) == kWaiting &&
              self->Advance()) {
            self->Continue();
          }
        });
  }

  // Takes the results of a call; true if another call follows.
  bool Advance() {
    if (status_.ok()) status_ = ctx_.CheckCancelled();
    if (status_.ok() && in_body_) {
      values_ = std::move(outputs_);
    } else if (status_.ok()) {
      if (outputs_.size() != 1) {
        status_ = InvalidArgument(
            "Expected a single scalar return value from "
            "the loop condition, got ",
            outputs_.size(), " tensors.");
      } else {
        StatusOr<bool> truth = IsTrue(outputs_[0]);
        if (!truth.ok()) {
          status_ = truth.status();
        } else if (!*truth) {
          ToOutputs(ctx_, std::move(done_))(OkStatus(), std::move(values_));
          return false;
        }
      }
    }
    if (!status_.ok()) {
      std::move(done_)(status_);
      return false;
    }
    in_body_ = !in_body_;
    return true;
  }

  KernelContext& ctx_;
  const FunctionRunner::Handle condition_, body_;
  std::vector<Tensor> values_;
  Done done_;
  bool in_body_ = false;
  Status status_;
  std::vector<Tensor> outputs_;
  std::atomic<int> phase_{kCalling};
};

class WhileKernel {
 public:
  static StatusOr<WhileKernel> Make(const KernelInit& init) {
    WhileKernel k;
    MR_ASSIGN(k.condition_, init.Attr<AttrValue::Func>("cond"));
    MR_ASSIGN(k.body_, init.Attr<AttrValue::Func>("body"));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const auto condition = Instantiate(ctx, condition_);
    if (!condition.ok()) return std::move(done)(condition.status());
    const auto body = Instantiate(ctx, body_);
    if (!body.ok()) return std::move(done)(body.status());
    std::make_shared<WhileRun>(ctx, *condition, *body, std::move(done))
        ->Continue();
  }

 private:
  AttrValue::Func condition_, body_;
};

}  // namespace
}  // namespace millrace

namespace millrace::ops {

MR_KERNELS(_Arg, Cpu){{.make = MakeFunctionKernel<RunSlot>, .cheap = true}};
MR_KERNELS(_Retval, Cpu){{.make = MakeFunctionKernel<RunSlot>, .cheap = true}};
MR_KERNELS(PartitionedCall,
           Cpu){{.make = MakeKernel<CallKernel>, .views = "args"}};
MR_KERNELS(StatefulPartitionedCall,
           Cpu){{.make = MakeKernel<CallKernel>, .views = "args"}};
MR_KERNELS(StatelessIf, Cpu){{.make = MakeKernel<IfKernel>, .views = "input"}};
MR_KERNELS(If, Cpu){{.make = MakeKernel<IfKernel>, .views = "input"}};
MR_KERNELS(StatelessCase,
           Cpu){{.make = MakeKernel<SwitchCaseKernel>, .views = "input"}};
MR_KERNELS(Case, Cpu){{.make = MakeKernel<SwitchCaseKernel>, .views = "input"}};
MR_KERNELS(StatelessWhile,
           Cpu){{.make = MakeKernel<WhileKernel>, .views = "input"}};
MR_KERNELS(While, Cpu){{.make = MakeKernel<WhileKernel>, .views = "input"}};

}  // namespace millrace::ops

#include <memory>

#include "millrace/graph/builtin_ops.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/control_flow/call_after_call.h"
#include "millrace/ops/control_flow/call_function.h"

namespace millrace::ops {
namespace {

// One run of a While: condition, body, condition, ...
class WhileRun : public CallAfterCall<WhileRun> {
 public:
  WhileRun(KernelContext& ctx, FunctionRunner::Handle condition,
           FunctionRunner::Handle body, const ReadResults& read, Done done)
      : CallAfterCall(ctx),
        condition_(condition),
        body_(body),
        reads_all_(!read.has_value()),
        values_(TakeInputs(ctx, 0)),
        done_(std::move(done)) {
    if (reads_all_) return;
    unread_ = values_;
    for (const int64_t i : *read) {
      if (i >= 0) unread_[static_cast<size_t>(i)] = Tensor();
    }
  }

 private:
  friend class CallAfterCall<WhileRun>;

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
          self->CallDone();
        });
  }

  // Takes the results of a call. Returns true if another call follows.
  bool Advance() {
    if (status_.ok()) status_ = ctx_.CheckCancelled();
    if (status_.ok() && in_body_) {
      status_ = TakeResults();
    } else if (status_.ok()) {
      if (outputs_.size() != 1) {
        status_ = InvalidArgument(
            "Expected a single scalar return value from WhileOp cond, got ",
            outputs_.size(), " tensors.");
      } else {
        StatusOr<bool> truth = IsTrue(outputs_[0]);
        if (!truth.ok()) {
          status_ = truth.status();
        } else if (!*truth) {
          ResultsToOutputs(ctx_, std::move(done_))(OkStatus(),
                                                   std::move(values_));
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

  // Makes the results of the body the values of the next turn.
  Status TakeResults() {
    const size_t count = static_cast<size_t>(ctx_.num_outputs());
    if (!reads_all_) outputs_.resize(count);
    if (outputs_.size() != count) {
      return InvalidArgument("While loop body returned ", outputs_.size(),
                             " arguments. Expected: ", count, ".");
    }
    for (size_t i = 0; i < count; ++i) {
      if (!outputs_[i].valid()) {
        if (!reads_all_) outputs_[i] = unread_[i];
        continue;
      }
      const DataType wanted = ctx_.output_type(static_cast<int>(i));
      if (outputs_[i].dtype() != wanted) {
        return InvalidArgument("Expected type ", DataTypeName(wanted),
                               " for return value ", i, " but got ",
                               DataTypeName(outputs_[i].dtype()), ".");
      }
    }
    values_ = std::move(outputs_);
    return OkStatus();
  }

  const FunctionRunner::Handle condition_, body_;
  const bool reads_all_;
  // The values of what nobody reads, which stay; empty if everything is read.
  std::vector<Tensor> unread_;
  std::vector<Tensor> values_;
  Done done_;
  bool in_body_ = false;
  Status status_;
  std::vector<Tensor> outputs_;
};

class WhileKernel {
 public:
  static StatusOr<WhileKernel> Make(const KernelInit& init) {
    WhileKernel k;
    MR_ASSIGN_OR_RETURN(k.condition_, init.Attr<AttrValue::Func>("cond"));
    MR_ASSIGN_OR_RETURN(k.body_, init.Attr<AttrValue::Func>("body"));
    MR_ASSIGN_OR_RETURN(k.read_, ReadResultsOf(init));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    // The condition has one result. Its effects are read with those of the
    // body.
    const auto condition =
        read_.has_value()
            ? InstantiateInStep(ctx, condition_, OfCondition(*read_))
            : InstantiateInStep(ctx, condition_);
    if (!condition.ok()) return std::move(done)(condition.status());
    const auto body = InstantiateInStep(ctx, body_, read_);
    if (!body.ok()) return std::move(done)(body.status());
    std::make_shared<WhileRun>(ctx, *condition, *body, read_, std::move(done))
        ->Continue();
  }

 private:
  static std::vector<int64_t> OfCondition(const std::vector<int64_t>& read) {
    if (!read.empty() && read.front() == builtin::kReadEffects) {
      return {builtin::kReadEffects, 0};
    }
    return {0};
  }

  AttrValue::Func condition_, body_;
  ReadResults read_;
};

}  // namespace

MR_KERNELS(StatelessWhile,
           Cpu){{.make = MakeKernel<WhileKernel>, .views = "input"}};
MR_KERNELS(While, Cpu){{.make = MakeKernel<WhileKernel>, .views = "input"}};

}  // namespace millrace::ops

#include <memory>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/control_flow/call_after_call.h"
#include "millrace/ops/control_flow/call_function.h"

namespace millrace::ops {
namespace {

struct ForRange {
  int64_t start = 0;
  int64_t limit = 0;
  int64_t delta = 0;

  bool Has(int64_t i) const {
    return delta > 0 ? i < limit : delta < 0 && i > limit;
  }
};

StatusOr<ForRange> RangeOf(const KernelContext& ctx) {
  ForRange range;
  int64_t* const numbers[] = {&range.start, &range.limit, &range.delta};
  const char* const names[] = {"start", "limit", "delta"};
  for (int i = 0; i < 3; ++i) {
    const Tensor& t = ctx.input(i);
    if (t.rank() != 0) {
      return InvalidArgument(names[i], " must be a scalar, but ",
                             t.shape().DebugString());
    }
    *numbers[i] = t.scalar<int32_t>();
  }
  const auto [start, limit, delta] = range;
  if ((delta > 0 && start <= limit) || (delta < 0 && start >= limit) ||
      (delta == 0 && start == limit)) {
    return range;
  }
  return InvalidArgument("Invalid start/limit/delta: ", start, " ", limit, " ",
                         delta);
}

class ForRun : public CallAfterCall<ForRun> {
 public:
  ForRun(KernelContext& ctx, const ForRange& range, FunctionRunner::Handle body,
         Done done)
      : CallAfterCall(ctx),
        range_(range),
        body_(body),
        next_(range.start),
        values_(TakeInputs(ctx, 3)),
        finish_(ResultsToOutputs(ctx, std::move(done))) {}

  // Returns false, and ends the loop, if no call follows.
  bool MayCall() {
    if (status_.ok() && range_.Has(next_)) return true;
    std::move(finish_)(std::move(status_), std::move(values_));
    return false;
  }

 private:
  friend class CallAfterCall<ForRun>;

  void Call() {
    std::vector<Tensor> args;
    args.reserve(values_.size() + 1);
    args.push_back(Tensor::Scalar(static_cast<int32_t>(next_)));
    for (Tensor& value : values_) args.push_back(std::move(value));
    values_.clear();
    ctx_.step().functions->Run(ctx_, body_, std::move(args),
                               FunctionRunner::Views::kHandOn,
                               [self = shared_from_this()](
                                   Status status, std::vector<Tensor> results) {
                                 self->status_ = std::move(status);
                                 self->values_ = std::move(results);
                                 self->CallDone();
                               });
  }

  // Takes the results of a call. Returns true if another call follows.
  bool Advance() {
    if (status_.ok()) status_ = ctx_.CheckCancelled();
    if (status_.ok() &&
        static_cast<int>(values_.size()) != ctx_.num_outputs()) {
      status_ = InvalidArgument("For loop body returned ", values_.size(),
                                " arguments. Expected: ", ctx_.num_outputs());
    }
    next_ += range_.delta;
    return MayCall();
  }

  const ForRange range_;
  const FunctionRunner::Handle body_;
  int64_t next_;
  std::vector<Tensor> values_;
  FunctionRunner::RunDone finish_;
  Status status_;
};

class ForKernel {
 public:
  static StatusOr<ForKernel> Make(const KernelInit& init) {
    ForKernel k;
    MR_ASSIGN_OR_RETURN(k.body_, init.Attr<AttrValue::Func>("body"));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const StatusOr<ForRange> range = RangeOf(ctx);
    if (!range.ok()) return std::move(done)(range.status());
    const auto body = InstantiateInStep(ctx, body_);
    if (!body.ok()) return std::move(done)(body.status());
    const auto run =
        std::make_shared<ForRun>(ctx, *range, *body, std::move(done));
    if (run->MayCall()) run->Continue();
  }

 private:
  AttrValue::Func body_;
};

}  // namespace

MR_KERNELS(For, Cpu){{.make = MakeKernel<ForKernel>,
                      .host = "start, limit, delta",
                      .views = "input"}};

}  // namespace millrace::ops

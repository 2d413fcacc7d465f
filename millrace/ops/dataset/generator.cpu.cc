// GeneratorDataset: a function makes elements of a state, which another
// function created and a third one finalizes.
#include "millrace/ops/data/captured_function.h"
#include "millrace/ops/dataset/derived.h"

namespace millrace::ops {
namespace {

struct GeneratorParams {
  std::shared_ptr<const CapturedFunction> init, next, finalize;
};

class GeneratorIterator final : public DerivedIterator<GeneratorParams> {
 public:
  using DerivedIterator::DerivedIterator;
  // Finalizes the state also if the sequence is abandoned before its end.
  ~GeneratorIterator() override {
    if (phase_ == Phase::kNext) {
      FunctionCall::RunDetached(runtime_, finalize_, std::move(state_));
    }
  }

  Status Begin(IteratorRuntime& runtime) override {
    runtime_ = runtime.shared_from_this();
    MR_RETURN_IF_ERROR(init_.Bind(runtime, params().init, {}));
    const std::vector<DataType>& state = init_.result_types();
    MR_RETURN_IF_ERROR(next_.Bind(runtime, params().next, state));
    MR_RETURN_IF_ERROR(finalize_.Bind(runtime, params().finalize, state));
    return CheckTypes(dataset().signature().types, next_.result_types());
  }

  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    while (phase_ != Phase::kEnded) {
      if (!call_.in_progress()) call_.Start(ctx, FunctionOfPhase(), state_);
      Element results;
      const StatusOr<Pull> done = call_.Finish(ctx, &results);
      if (done.ok() && *done != Pull::kElement) return done;
      if (phase_ == Phase::kNext) {
        if (done.ok()) {
          *out = std::move(results);
          return Pull::kElement;
        }
        // The function ends the sequence with this error.
        if (done.status().code() != StatusCode::kOutOfRange) return done;
        phase_ = Phase::kFinalize;
        continue;
      }
      const bool begun = phase_ == Phase::kInit;
      if (!begun) phase_ = Phase::kEnded;
      if (!done.ok()) return done;
      if (begun) phase_ = Phase::kNext;
      state_ = begun ? std::move(results) : Element();
    }
    return Pull::kEnd;
  }
  // As in stock.
  Status Save(StateWriter&, const std::string&) override {
    return Unimplemented("GeneratorDataset does not support checkpointing.");
  }
  Status Restore(StateReader&, const std::string&) override {
    return Unimplemented("GeneratorDataset does not support checkpointing.");
  }

 private:
  enum class Phase { kInit, kNext, kFinalize, kEnded };

  const BoundFunction& FunctionOfPhase() const {
    if (phase_ == Phase::kInit) return init_;
    return phase_ == Phase::kNext ? next_ : finalize_;
  }

  std::shared_ptr<IteratorRuntime> runtime_;
  BoundFunction init_, next_, finalize_;
  Phase phase_ = Phase::kInit;
  Element state_;
  FunctionCall call_;
};

StatusOr<Ref<DatasetValue>> BuildGenerator(KernelContext& ctx) {
  GeneratorParams p;
  MR_ASSIGN_OR_RETURN(
      p.init, CapturedFunction::Make(ctx, "init_func", "init_func_other_args"));
  MR_ASSIGN_OR_RETURN(
      p.next, CapturedFunction::Make(ctx, "next_func", "next_func_other_args"));
  MR_ASSIGN_OR_RETURN(
      p.finalize,
      CapturedFunction::Make(ctx, "finalize_func", "finalize_func_other_args"));
  Element kept;
  for (const auto& function : {p.init, p.next, p.finalize}) {
    const std::vector<Tensor>& captured = function->captured();
    kept.insert(kept.end(), captured.begin(), captured.end());
  }
  return MakeDataset<GeneratorIterator>(ctx, {}, std::move(p), kept);
}

}  // namespace

MR_KERNELS(GeneratorDataset, Cpu){MR_DATASET_KERNEL(BuildGenerator)};

}  // namespace millrace::ops

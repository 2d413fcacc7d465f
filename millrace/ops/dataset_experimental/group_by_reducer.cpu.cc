// GroupByReducerDataset: a state for each key, which functions begin, reduce
// elements to, and finalize at the end of the input.
#include <map>

#include "millrace/ops/data/captured_function.h"
#include "millrace/ops/data/elements_charge.h"
#include "millrace/ops/dataset/derived.h"
#include "millrace/ops/dataset_experimental/element_list.h"
#include "millrace/ops/dataset_experimental/group_key.h"

namespace millrace::ops {
namespace {

struct GroupByReducerParams {
  std::shared_ptr<const CapturedFunction> key, init, reduce, finalize;
};

class GroupByReducerIterator final
    : public DerivedIterator<GroupByReducerParams> {
 public:
  using DerivedIterator::DerivedIterator;
  Status Begin(IteratorRuntime& runtime) override {
    MR_RETURN_IF_ERROR(DerivedIterator::Begin(runtime));
    const std::vector<DataType>& input = dataset().input().signature().types;
    MR_RETURN_IF_ERROR(key_function_.Bind(runtime, params().key, input));
    MR_RETURN_IF_ERROR(
        init_function_.Bind(runtime, params().init, {DataType::kInt64}));
    std::vector<DataType> args = init_function_.result_types();
    MR_RETURN_IF_ERROR(
        finalize_function_.Bind(runtime, params().finalize, args));
    args.insert(args.end(), input.begin(), input.end());
    MR_RETURN_IF_ERROR(reduce_function_.Bind(runtime, params().reduce, args));
    return CheckTypes(init_function_.result_types(),
                      reduce_function_.result_types());
  }

  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    for (;;) {
      if (phase_ == Phase::kInput) {
        MR_ASSIGN_OR_RETURN(const Pull pull, StartCall(ctx));
        if (pull != Pull::kElement) return pull;
        continue;
      }
      Element results;
      const StatusOr<Pull> done = call_.Finish(ctx, &results);
      if (done.ok() && *done == Pull::kPending) return done;
      // An error is that of the element.
      const Phase phase = std::exchange(phase_, Phase::kInput);
      MR_RETURN_IF_ERROR(done.status());
      switch (phase) {
        case Phase::kInput:
          break;
        case Phase::kKey: {
          MR_ASSIGN_OR_RETURN(key_, IntResult(results, "key_func"));
          if (const auto state = states_.find(key_); state != states_.end()) {
            StartReduce(ctx, state->second);
          } else {
            call_.Start(ctx, init_function_, {Tensor::Scalar<int64_t>(key_)});
            phase_ = Phase::kInit;
          }
          break;
        }
        case Phase::kInit:
          MR_RETURN_IF_ERROR(charge_.Add(results));
          StartReduce(ctx, states_[key_] = std::move(results));
          break;
        case Phase::kReduce: {
          Element& state = states_[key_];
          charge_.Remove(state);
          charge_.AddAlways(results);  // as many components
          state = std::move(results);
          break;
        }
        case Phase::kFinalize:
          MR_RETURN_IF_ERROR(
              CheckElementTypes(dataset().signature().types, results));
          *out = std::move(results);
          return Pull::kElement;
      }
    }
  }

  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "states", static_cast<int64_t>(states_.size()));
    int64_t i = 0;
    for (const auto& [key, state] : states_) {
      const std::string name = absl::StrCat(prefix, "state", i++, ":");
      out.Int(name + "key", key);
      out.Element(name + "value", state);
    }
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN_OR_RETURN(const int64_t states, in.Size(prefix + "states"));
    for (int64_t i = 0; i < states; ++i) {
      const std::string name = absl::StrCat(prefix, "state", i, ":");
      MR_ASSIGN_OR_RETURN(const int64_t key, in.Number(name + "key"));
      MR_ASSIGN_OR_RETURN(
          Element state,
          in.Element(name + "value", init_function_.result_types()));
      MR_RETURN_IF_ERROR(charge_.Add(state));
      if (!states_.emplace(key, std::move(state)).second) {
        return InvalidArgument("the saved state of the iterator has key ", key,
                               " twice");
      }
    }
    return RestoreInput(in, prefix);
  }

 private:
  // The call that is in progress; kInput: none is.
  enum class Phase { kInput, kKey, kInit, kReduce, kFinalize };

  // Starts a call for the next element of the input or, behind its end, for the
  // state of the next key. kElement: a call is in progress, or the input ended.
  StatusOr<Pull> StartCall(PollContext& ctx) {
    if (input_ == nullptr) {
      if (states_.empty()) return Pull::kEnd;
      const auto first = states_.begin();
      charge_.Remove(first->second);
      call_.Start(ctx, finalize_function_, std::move(first->second));
      states_.erase(first);
      phase_ = Phase::kFinalize;
      return Pull::kElement;
    }
    MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, &element_));
    if (pull == Pull::kPending) return pull;
    if (pull == Pull::kEnd) {
      input_ = nullptr;
      return Pull::kElement;
    }
    call_.Start(ctx, key_function_, element_);
    phase_ = Phase::kKey;
    return Pull::kElement;
  }

  void StartReduce(PollContext& ctx, const Element& state) {
    Element args = state;
    std::move(element_.begin(), element_.end(), std::back_inserter(args));
    call_.Start(ctx, reduce_function_, std::move(args));
    phase_ = Phase::kReduce;
  }

  BoundFunction key_function_, init_function_, reduce_function_,
      finalize_function_;
  FunctionCall call_;
  Phase phase_ = Phase::kInput;
  Element element_;  // whose key, or new state, is being computed
  int64_t key_ = 0;  // its key
  std::map<int64_t, Element> states_;
  ElementsCharge charge_{"the states of keys"};
};

StatusOr<Ref<DatasetValue>> BuildGroupByReducer(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  GroupByReducerParams p;
  Element kept;
  const auto capture = [&](const std::string& name)
      -> StatusOr<std::shared_ptr<const CapturedFunction>> {
    MR_ASSIGN_OR_RETURN(
        const auto function,
        CapturedFunction::Make(ctx, name, name + "_other_arguments"));
    const std::vector<Tensor>& captured = function->captured();
    kept.insert(kept.end(), captured.begin(), captured.end());
    return function;
  };
  MR_ASSIGN_OR_RETURN(p.key, capture("key_func"));
  MR_ASSIGN_OR_RETURN(p.init, capture("init_func"));
  MR_ASSIGN_OR_RETURN(p.reduce, capture("reduce_func"));
  MR_ASSIGN_OR_RETURN(p.finalize, capture("finalize_func"));
  return MakeDataset<GroupByReducerIterator>(ctx, {input}, std::move(p), kept);
}

}  // namespace

MR_KERNELS(GroupByReducerDataset, Cpu){MR_DATASET_KERNEL(BuildGroupByReducer)};
MR_KERNELS(ExperimentalGroupByReducerDataset,
           Cpu){MR_DATASET_KERNEL(BuildGroupByReducer)};

}  // namespace millrace::ops

// Kernels of data sets that call a function for each element, one call after
// the other.
#include "millrace/ops/data/captured_function.h"
#include "millrace/ops/dataset/derived.h"

namespace millrace::ops {
namespace {

struct FunctionParams {
  std::shared_ptr<const CapturedFunction> function;
  bool preserve_cardinality = false;
};

// An iterator with a function that takes the elements of its input.
class FunctionIterator : public DerivedIterator<FunctionParams> {
 public:
  using DerivedIterator::DerivedIterator;
  Status Begin(IteratorRuntime& runtime) override {
    MR_RETURN_IF_ERROR(DerivedIterator::Begin(runtime));
    return function_.Bind(runtime, params().function,
                          dataset().input().signature().types);
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    return RestoreInput(in, prefix);
  }

 protected:
  // Begins a call for the next element unless one is in progress. kElement: a
  // call is in progress; `*kept`, if given, holds the element.
  StatusOr<Pull> StartCall(PollContext& ctx, Element* kept) {
    if (call_.in_progress()) return Pull::kElement;
    if (input_ == nullptr) return Pull::kEnd;
    Element element;
    MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, &element));
    if (pull == Pull::kEnd) input_ = nullptr;
    if (pull != Pull::kElement) return pull;
    if (kept != nullptr) *kept = element;
    call_.Start(ctx, function_, std::move(element));
    return Pull::kElement;
  }

  BoundFunction function_;
  FunctionCall call_;
};

class MapIterator final : public FunctionIterator {
 public:
  using FunctionIterator::FunctionIterator;
  Status Begin(IteratorRuntime& runtime) override {
    MR_RETURN_IF_ERROR(FunctionIterator::Begin(runtime));
    return CheckTypes(dataset().signature().types, function_.result_types());
  }
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    MR_ASSIGN_OR_RETURN(const Pull started, StartCall(ctx, nullptr));
    if (started != Pull::kElement) return started;
    StatusOr<Pull> done = call_.Finish(ctx, out);
    if (done.ok()) return done;
    if (done.status().code() != StatusCode::kOutOfRange) {
      return function_.InContext(done.status());
    }
    // A function may end the sequence with this error.
    if (!params().preserve_cardinality) return Pull::kEnd;
    return InvalidArgument("Function invocation produced OutOfRangeError: ",
                           done.status().message());
  }
  static int64_t Cardinality(const Parts& d) {
    return d.params().preserve_cardinality ? d.input().Cardinality()
                                           : DatasetValue::kUnknown;
  }
};

class FilterIterator final : public FunctionIterator {
 public:
  using FunctionIterator::FunctionIterator;
  static ElementSignature Signature(const Inputs& inputs, const Params&) {
    return inputs[0]->signature();
  }
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    for (;;) {
      MR_ASSIGN_OR_RETURN(const Pull started, StartCall(ctx, &element_));
      if (started != Pull::kElement) return started;
      Element verdict;
      const StatusOr<Pull> done = call_.Finish(ctx, &verdict);
      if (!done.ok()) return function_.InContext(done.status());
      if (*done != Pull::kElement) return done;
      MR_ASSIGN_OR_RETURN(const bool keep, PredicateOf(verdict));
      if (!keep) continue;
      *out = std::move(element_);
      return Pull::kElement;
    }
  }

 private:
  Element element_;
};

class TakeWhileIterator final : public FunctionIterator {
 public:
  using FunctionIterator::FunctionIterator;
  static ElementSignature Signature(const Inputs& inputs, const Params&) {
    return inputs[0]->signature();
  }
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    MR_ASSIGN_OR_RETURN(const Pull started, StartCall(ctx, &element_));
    if (started != Pull::kElement) return started;
    Element verdict;
    MR_ASSIGN_OR_RETURN(const Pull done, call_.Finish(ctx, &verdict));
    if (done != Pull::kElement) return done;
    if (verdict.size() != 1 || verdict[0].dtype() != DataType::kBool ||
        verdict[0].num_elements() != 1) {
      return InvalidArgument("`predicate` must returns a scalar bool tensor.");
    }
    if (!verdict[0].flat<bool>()[0]) {
      input_ = nullptr;
      return Pull::kEnd;
    }
    *out = std::move(element_);
    return Pull::kElement;
  }

 private:
  Element element_;
};

struct ScanParams {
  std::shared_ptr<const CapturedFunction> function;
  Element initial_state;
  bool preserve_cardinality = false;
};

class ScanIterator final : public DerivedIterator<ScanParams> {
 public:
  using DerivedIterator::DerivedIterator;
  Status Begin(IteratorRuntime& runtime) override {
    MR_RETURN_IF_ERROR(DerivedIterator::Begin(runtime));
    state_ = params().initial_state;
    std::vector<DataType> args, results;
    for (const Tensor& t : state_) args.push_back(t.dtype());
    results = args;
    const ElementSignature& input = dataset().input().signature();
    args.insert(args.end(), input.types.begin(), input.types.end());
    const std::vector<DataType>& own = dataset().signature().types;
    results.insert(results.end(), own.begin(), own.end());
    MR_RETURN_IF_ERROR(function_.Bind(runtime, params().function, args));
    return CheckTypes(results, function_.result_types());
  }
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    if (!call_.in_progress()) {
      if (input_ == nullptr) return Pull::kEnd;
      Element element;
      MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, &element));
      if (pull == Pull::kEnd) input_ = nullptr;
      if (pull != Pull::kElement) return pull;
      Element args = state_;
      std::move(element.begin(), element.end(), std::back_inserter(args));
      call_.Start(ctx, function_, std::move(args));
    }
    Element results;
    StatusOr<Pull> done = call_.Finish(ctx, &results);
    if (done.status().code() == StatusCode::kOutOfRange) {
      if (!params().preserve_cardinality) return Pull::kEnd;
      return InvalidArgument("Function invocation produced OutOfRangeError: ",
                             done.status().message());
    }
    if (!done.ok() || *done != Pull::kElement) return done;
    const auto middle =
        results.begin() + static_cast<std::ptrdiff_t>(state_.size());
    state_.assign(std::make_move_iterator(results.begin()),
                  std::make_move_iterator(middle));
    out->assign(std::make_move_iterator(middle),
                std::make_move_iterator(results.end()));
    return Pull::kElement;
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Element(prefix + "state", state_);
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    std::vector<DataType> types;
    for (const Tensor& t : state_) types.push_back(t.dtype());
    MR_ASSIGN_OR_RETURN(state_, in.Element(prefix + "state", types));
    return RestoreInput(in, prefix);
  }

 private:
  Element state_;
  BoundFunction function_;
  FunctionCall call_;
};

StatusOr<bool> PreserveCardinality(KernelContext& ctx) {
  return GetAttr<bool>(ctx.node().attrs, "preserve_cardinality");
}

StatusOr<Ref<DatasetValue>> BuildMap(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  MR_ASSIGN_OR_RETURN(const auto function,
                      CapturedFunction::Make(ctx, "f", "other_arguments"));
  MR_ASSIGN_OR_RETURN(const bool preserve, PreserveCardinality(ctx));
  return MakeDataset<MapIterator>(ctx, {input}, {function, preserve},
                                  function->captured());
}

template <class It>
StatusOr<Ref<DatasetValue>> BuildPredicate(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  MR_ASSIGN_OR_RETURN(
      const auto function,
      CapturedFunction::Make(ctx, "predicate", "other_arguments"));
  return MakeDataset<It>(ctx, {input}, {function}, function->captured());
}

StatusOr<Ref<DatasetValue>> BuildParallelFilter(KernelContext& ctx) {
  MR_RETURN_IF_ERROR(
      ScalarInput<int64_t>(ctx, ctx.num_inputs() - 1, "num_parallel_calls")
          .status());
  return BuildPredicate<FilterIterator>(ctx);
}

StatusOr<Ref<DatasetValue>> BuildScan(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  ScanParams p;
  MR_ASSIGN_OR_RETURN(p.function,
                      CapturedFunction::Make(ctx, "f", "other_arguments"));
  MR_ASSIGN_OR_RETURN(
      const ArgRange state,
      FindArgRange(ctx.node().op->inputs, ctx.node().attrs, "initial_state"));
  for (int i = state.begin; i < state.end; ++i) {
    p.initial_state.push_back(ctx.input(i));
  }
  MR_ASSIGN_OR_RETURN(p.preserve_cardinality, PreserveCardinality(ctx));
  Element kept = p.function->captured();
  kept.insert(kept.end(), p.initial_state.begin(), p.initial_state.end());
  return MakeDataset<ScanIterator>(ctx, {input}, std::move(p), kept);
}

}  // namespace

MR_KERNELS(MapDataset, Cpu){MR_DATASET_KERNEL(BuildMap)};
MR_KERNELS(FilterDataset,
           Cpu){MR_DATASET_KERNEL(BuildPredicate<FilterIterator>)};
MR_KERNELS(ParallelFilterDataset, Cpu){MR_DATASET_KERNEL(BuildParallelFilter)};
MR_KERNELS(TakeWhileDataset,
           Cpu){MR_DATASET_KERNEL(BuildPredicate<TakeWhileIterator>)};
MR_KERNELS(ExperimentalTakeWhileDataset,
           Cpu){MR_DATASET_KERNEL(BuildPredicate<TakeWhileIterator>)};
MR_KERNELS(ScanDataset, Cpu){MR_DATASET_KERNEL(BuildScan)};
MR_KERNELS(ExperimentalScanDataset, Cpu){MR_DATASET_KERNEL(BuildScan)};

}  // namespace millrace::ops

// Kernels that iterate over a whole data set in one step.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/data/captured_function.h"
#include "millrace/ops/data/iterator_run.h"

namespace millrace::ops {
namespace {

// Returns one element: the last state.
class ReduceIterator final : public DatasetIterator {
 public:
  ReduceIterator(std::unique_ptr<DatasetIterator> input, Element state)
      : input_(std::move(input)), state_(std::move(state)) {}
  BoundFunction& function() { return function_; }
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    for (;;) {
      if (!call_.in_progress()) {
        Element element;
        MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, &element));
        if (pull == Pull::kPending) return pull;
        if (pull == Pull::kEnd) {
          *out = std::move(state_);
          return Pull::kElement;
        }
        Element args = state_;
        std::move(element.begin(), element.end(), std::back_inserter(args));
        call_.Start(ctx, function_, std::move(args));
      }
      Element results;
      const StatusOr<Pull> done = call_.Finish(ctx, &results);
      if (done.status().code() == StatusCode::kOutOfRange) {
        // A function may end the reduction with this error.
        *out = std::move(state_);
        return Pull::kElement;
      }
      if (!done.ok() || *done != Pull::kElement) return done;
      state_ = std::move(results);
    }
  }

 private:
  std::unique_ptr<DatasetIterator> input_;
  Element state_;
  BoundFunction function_;
  FunctionCall call_;
};

// Returns one element: the only one of the input.
class SingleIterator final : public DatasetIterator {
 public:
  explicit SingleIterator(std::unique_ptr<DatasetIterator> input)
      : input_(std::move(input)) {}
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    for (;;) {
      Element element;
      MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, &element));
      if (pull == Pull::kPending) return pull;
      if (pull == Pull::kElement) {
        if (found_) {
          return InvalidArgument("Dataset had more than one element.");
        }
        found_ = true;
        element_ = std::move(element);
        continue;
      }
      if (!found_) return InvalidArgument("Dataset was empty.");
      *out = std::move(element_);
      return Pull::kElement;
    }
  }

 private:
  std::unique_ptr<DatasetIterator> input_;
  Element element_;
  bool found_ = false;
};

// Sets the outputs to the one element of `iterator`. The run lives until then.
void RunToOutputs(KernelContext& ctx, std::shared_ptr<IteratorRuntime> runtime,
                  DatasetRef dataset, std::unique_ptr<DatasetIterator> iterator,
                  Done done) {
  const std::shared_ptr<IteratorRun> run = IteratorRun::Make(
      std::move(runtime), std::move(dataset), std::move(iterator));
  run->GetNext(ctx, "end of a data set",
               [run, &ctx, done = std::move(done)](
                   StatusOr<std::optional<Element>> next) mutable {
                 run->Retire();
                 Status status = next.status();
                 if (status.ok() && !next->has_value()) {
                   status = Internal("a data set was reduced to nothing");
                 }
                 if (status.ok()) status = SetOutputs(ctx, **std::move(next));
                 std::move(done)(std::move(status));
               });
}

class ReduceKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    Status status = Start(ctx, done);
    if (!status.ok()) std::move(done)(std::move(status));
  }

 private:
  static Status Start(KernelContext& ctx, Done& done) {
    MR_RETURN_IF_ERROR(CheckDatasetNode(ctx));
    MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
    MR_ASSIGN_OR_RETURN(const auto function,
                        CapturedFunction::Make(ctx, "f", "other_arguments"));
    MR_ASSIGN_OR_RETURN(
        const ArgRange range,
        FindArgRange(ctx.node().op->inputs, ctx.node().attrs, "initial_state"));
    Element state;
    std::vector<DataType> args;
    for (int i = range.begin; i < range.end; ++i) {
      state.push_back(ctx.input(i));
      args.push_back(ctx.input(i).dtype());
    }
    const std::vector<DataType> results = args;
    const std::vector<DataType>& types = input->signature().types;
    args.insert(args.end(), types.begin(), types.end());
    std::shared_ptr<IteratorRuntime> runtime = IteratorRuntime::Make(ctx);
    MR_ASSIGN_OR_RETURN(auto below, runtime->MakeIterator(*input));
    auto reduce =
        std::make_unique<ReduceIterator>(std::move(below), std::move(state));
    MR_RETURN_IF_ERROR(reduce->function().Bind(*runtime, function, args));
    MR_RETURN_IF_ERROR(CheckTypes(results, reduce->function().result_types()));
    RunToOutputs(ctx, std::move(runtime), input, std::move(reduce),
                 std::move(done));
    return OkStatus();
  }
};

class SingleElementKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    const auto input = DatasetOfInput(ctx, 0);
    if (!input.ok()) return std::move(done)(input.status());
    std::shared_ptr<IteratorRuntime> runtime = IteratorRuntime::Make(ctx);
    auto below = runtime->MakeIterator(**input);
    if (!below.ok()) return std::move(done)(below.status());
    auto single = std::make_unique<SingleIterator>(*std::move(below));
    RunToOutputs(ctx, std::move(runtime), *input, std::move(single),
                 std::move(done));
  }
};

}  // namespace

MR_KERNELS(ReduceDataset, Cpu){{.make = MakeKernel<ReduceKernel>}};
MR_KERNELS(DatasetToSingleElement,
           Cpu){{.make = MakeKernel<SingleElementKernel>}};

}  // namespace millrace::ops

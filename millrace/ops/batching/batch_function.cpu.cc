#include <algorithm>
#include <memory>

#include "millrace/graph/graph.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/batching/batch_queue.h"
#include "millrace/ops/batching/rows.h"
#include "millrace/ops/control_flow/call_function.h"

namespace millrace::ops {
namespace {

// One batch: the function is called for parts of it, one after the other,
// usually for all of it at once. It runs in the step of the last run.
class FunctionBatch : public std::enable_shared_from_this<FunctionBatch> {
 public:
  FunctionBatch(BatchTasks tasks, const AttrValue::Func& function,
                const BatchQueueOptions& options, int num_batched,
                absl::AnyInvocable<void() &&> finished)
      : tasks_(std::move(tasks)),
        function_(function),
        options_(options),
        num_batched_(num_batched),
        finished_(std::move(finished)) {
    for (const Ref<BatchTask>& task : tasks_) rows_ += task->rows;
  }

  void Start() {
    const StatusOr<FunctionRunner::Handle> handle =
        InstantiateInStep(last(), function_);
    Status status = handle.status();
    if (status.ok()) {
      handle_ = *handle;
      status = JoinInputs();
    }
    if (!status.ok()) return End(status);
    RunPart();
  }

 private:
  KernelContext& last() { return tasks_.back()->ctx; }
  Allocator* allocator() { return last().allocator(); }

  Status JoinInputs() {
    for (int i = 0; i < num_batched_; ++i) {
      std::vector<Tensor> parts;
      for (const Ref<BatchTask>& task : tasks_) {
        if (task->ctx.num_inputs() != last().num_inputs() ||
            task->ctx.num_outputs() != last().num_outputs()) {
          return InvalidArgument("Nodes of one queue batch different inputs.");
        }
        parts.push_back(task->ctx.input(i));
      }
      MR_ASSIGN_OR_RETURN(Tensor joined, JoinRows(parts, 0, allocator()));
      if (joined.dim(0) != rows_) {  // a node captures what another one batches
        return InvalidArgument("Input ", i, " of a batch has ", joined.dim(0),
                               " rows, expected ", rows_);
      }
      inputs_.push_back(std::move(joined));
    }
    results_.resize(static_cast<size_t>(last().num_outputs()));
    return OkStatus();
  }

  StatusOr<std::vector<Tensor>> ArgsOfPart() {
    part_rows_ = std::min(rows_ - done_rows_, options_.max_part());
    padding_ = options_.Padded(part_rows_) - part_rows_;
    std::vector<Tensor> args;
    for (const Tensor& input : inputs_) {
      Tensor part = input;
      if (part_rows_ != rows_) {
        MR_ASSIGN_OR_RETURN(
            part,
            CutRows(input, done_rows_, done_rows_ + part_rows_, allocator()));
      }
      if (padding_ > 0) {
        MR_ASSIGN_OR_RETURN(part, JoinRows({&part, 1}, padding_, allocator()));
      }
      args.push_back(std::move(part));
    }
    for (int i = num_batched_; i < last().num_inputs(); ++i)
      args.push_back(last().input(i));
    return args;
  }

  void RunPart() {
    StatusOr<std::vector<Tensor>> args = ArgsOfPart();
    if (!args.ok()) return End(args.status());
    last().step().functions->Run(
        last(), handle_, *std::move(args), FunctionRunner::Views::kBind,
        [self = shared_from_this()](Status status,
                                    std::vector<Tensor> results) {
          if (status.ok()) status = self->TakePart(std::move(results));
          if (!status.ok() || self->done_rows_ == self->rows_)
            return self->End(status);
          // Not on this stack: there may be many parts.
          self->last().device().lanes().inter_op.Schedule(
              [self] { self->RunPart(); });
        });
  }

  Status TakePart(std::vector<Tensor> results) {
    if (results.size() != results_.size()) {
      return InvalidArgument("the function has ", results.size(),
                             " results, expected ", results_.size());
    }
    for (size_t i = 0; i < results.size(); ++i) {
      Tensor& result = results[i];
      if (!result.valid()) {
        return InvalidArgument("result ", i, " of the function is dead");
      }
      const DataType wanted = last().output_type(static_cast<int>(i));
      if (result.dtype() != wanted) {
        return InvalidArgument("result ", i, " of the function has type ",
                               DataTypeName(result.dtype()), ", expected ",
                               DataTypeName(wanted));
      }
      if (result.rank() == 0) {
        return FailedPrecondition("Batched output tensor has 0 dimensions");
      }
      if (result.dim(0) != part_rows_ + padding_) {
        return FailedPrecondition(
            "Batched output tensor's 0th dimension does not equal the sum of "
            "the 0th dimension sizes of the input tensors. 0th dimension "
            "size: ",
            result.dim(0), "; batch size: ", part_rows_,
            "; unbatched tasks size: 0; padding size: ", padding_);
      }
      if (padding_ > 0) {
        MR_ASSIGN_OR_RETURN(result,
                            CutRows(result, 0, part_rows_, allocator()));
      }
      results_[i].push_back(std::move(result));
    }
    done_rows_ += part_rows_;
    return OkStatus();
  }

  // Gives each run its rows.
  Status SetOutputs() {
    for (size_t i = 0; i < results_.size(); ++i) {
      Tensor whole = results_[i][0];
      if (results_[i].size() > 1) {
        MR_ASSIGN_OR_RETURN(whole, JoinRows(results_[i], 0, allocator()));
      }
      int64_t begin = 0;
      for (const Ref<BatchTask>& task : tasks_) {
        Tensor rows = whole;
        if (tasks_.size() > 1) {
          MR_ASSIGN_OR_RETURN(
              rows, CutRows(whole, begin, begin + task->rows, allocator()));
        }
        begin += task->rows;
        task->ctx.set_output(static_cast<int>(i), std::move(rows));
      }
    }
    return OkStatus();
  }

  void End(Status status) {
    if (status.ok()) status = SetOutputs();
    std::move(finished_)();
    for (const Ref<BatchTask>& task : tasks_) task->Complete(status);
  }

  const BatchTasks tasks_;
  const AttrValue::Func function_;
  const BatchQueueOptions& options_;  // of the kernel, which the last run keeps
  const int num_batched_;
  absl::AnyInvocable<void() &&> finished_;
  FunctionRunner::Handle handle_ = 0;
  int64_t rows_ = 0;
  int64_t done_rows_ = 0;
  int64_t part_rows_ = 0;
  int64_t padding_ = 0;
  std::vector<Tensor> inputs_;
  std::vector<std::vector<Tensor>> results_;  // by output: those of the parts
};

class BatchFunctionKernel final : public BatchProcessor {
 public:
  static StatusOr<std::unique_ptr<BatchFunctionKernel>> Make(
      const KernelInit& init) {
    auto k = std::make_unique<BatchFunctionKernel>();
    MR_ASSIGN_OR_RETURN(k->place_, BatchQueuePlace::From(init));
    MR_ASSIGN_OR_RETURN(k->function_, init.Attr<AttrValue::Func>("f"));
    MR_ASSIGN_OR_RETURN(const ArgRange batched, init.Input("in_tensors"));
    k->num_batched_ = batched.end;
    return k;
  }

  void RunAsync(KernelContext& ctx, Done done) const {
    const Status fits = CheckFunction(ctx);
    if (!fits.ok()) return std::move(done)(fits);
    const StatusOr<int64_t> rows = RowsOfInputs(ctx, num_batched_);
    if (!rows.ok()) return std::move(done)(rows.status());
    if (*rows > 0) {
      return place_.Add(MakeRef<BatchTask>(ctx, *this, *rows, std::move(done)));
    }
    // There is nothing to compute.
    Status status;
    for (int i = 0; status.ok() && i < ctx.num_outputs(); ++i)
      status = ctx.AllocateOutput(i, TensorShape({0})).status();
    std::move(done)(std::move(status));
  }

  void Process(BatchTasks tasks,
               absl::AnyInvocable<void() &&> finished) const override {
    std::make_shared<FunctionBatch>(std::move(tasks), function_,
                                    place_.options(), num_batched_,
                                    std::move(finished))
        ->Start();
  }

 private:
  // Requires the library to have the function, and it to take the inputs.
  Status CheckFunction(KernelContext& ctx) const {
    if (ctx.step().functions == nullptr) {
      return FailedPrecondition("the step has no functions");
    }
    const auto source = ctx.step().functions->source();
    const FunctionDef* const body = source->library().Find(function_->name);
    if (body == nullptr) {
      return NotFound("Failed to find definition for function \"",
                      function_->name, "\"");
    }
    const size_t takes = body->signature.inputs.size();
    if (takes == static_cast<size_t>(ctx.num_inputs())) return OkStatus();
    return InvalidArgument("Function takes ", takes, " argument(s) but ",
                           ctx.num_inputs(), " argument(s) were passed");
  }

  BatchQueuePlace place_;
  AttrValue::Func function_;
  int num_batched_ = 0;
};

}  // namespace

MR_KERNELS(BatchFunction, Cpu){{.make = MakeKernel<BatchFunctionKernel>}};

}  // namespace millrace::ops

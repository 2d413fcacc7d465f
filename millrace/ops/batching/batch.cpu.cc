#include <memory>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/batching/batch_queue.h"
#include "millrace/ops/batching/rows.h"

namespace millrace::ops {
namespace {

class BatchKernel final : public BatchProcessor {
 public:
  static StatusOr<std::unique_ptr<BatchKernel>> Make(const KernelInit& init) {
    auto k = std::make_unique<BatchKernel>();
    MR_ASSIGN_OR_RETURN(k->place_, BatchQueuePlace::From(init));
    return k;
  }

  void RunAsync(KernelContext& ctx, Done done) const {
    const StatusOr<int64_t> rows = RowsOfInputs(ctx, ctx.num_inputs());
    if (!rows.ok()) return std::move(done)(rows.status());
    if (*rows > 0) {
      return place_.Add(MakeRef<BatchTask>(ctx, *this, *rows, std::move(done)));
    }
    // As in stock, all outputs are empty vectors.
    Status status;
    for (int i = 0; status.ok() && i < ctx.num_outputs(); ++i)
      status = ctx.AllocateOutput(i, TensorShape({0})).status();
    std::move(done)(std::move(status));
  }

  void Process(BatchTasks tasks,
               absl::AnyInvocable<void() &&> finished) const override {
    const Status status = SetOutputs(tasks);
    std::move(finished)();
    for (const Ref<BatchTask>& task : tasks) task->Complete(status);
  }

 private:
  Status SetOutputs(const BatchTasks& tasks) const {
    BatchTask& last = *tasks.back();
    const int count = last.ctx.num_inputs();
    Allocator* const allocator = last.ctx.allocator();
    Tensor table = Tensor::Zeros(
        DataType::kInt64, TensorShape({static_cast<int64_t>(tasks.size()), 3}));
    const auto cells = table.mutable_flat<int64_t>();
    int64_t rows = 0;
    for (size_t i = 0; i < tasks.size(); ++i) {
      cells[3 * i] = tasks[i]->id;
      cells[3 * i + 1] = rows;
      rows += tasks[i]->rows;
      cells[3 * i + 2] = rows;
    }
    const int64_t padding = place_.options().Padded(rows) - rows;
    for (int i = 0; i < count; ++i) {
      std::vector<Tensor> parts;
      for (const Ref<BatchTask>& task : tasks) {
        if (task->ctx.num_inputs() != count)
          return InvalidArgument("Nodes of one queue batch different inputs.");
        parts.push_back(task->ctx.input(i));
      }
      MR_ASSIGN_OR_RETURN(Tensor joined, JoinRows(parts, padding, allocator));
      last.ctx.set_output(i, std::move(joined));
    }
    last.ctx.set_output(count, std::move(table));
    for (const Ref<BatchTask>& task : tasks) {
      task->ctx.set_output(count + 1, Tensor::Scalar<int64_t>(task->id));
      if (task.get() == &last) continue;
      for (int i = 0; i < count; ++i) {
        MR_ASSIGN_OR_RETURN(Tensor nothing,
                            CutRows(task->ctx.input(i), 0, 0, allocator));
        task->ctx.set_output(i, std::move(nothing));
      }
      task->ctx.set_output(
          count, Tensor::Zeros(DataType::kInt64, TensorShape({0, 3})));
    }
    return OkStatus();
  }

  BatchQueuePlace place_;
};

}  // namespace

MR_KERNELS(Batch, Cpu){{.make = MakeKernel<BatchKernel>}};

}  // namespace millrace::ops

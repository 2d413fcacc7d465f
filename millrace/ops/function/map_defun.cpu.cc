#include <algorithm>
#include <atomic>
#include <memory>

#include "millrace/base/clock.h"
#include "millrace/base/threads/batch.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/control_flow/call_function.h"
#include "millrace/ops/data/slices.h"
#include "millrace/ops/queue/queue_batch.h"

namespace millrace::ops {
namespace {

// Several calls run at a time, on whatever threads are free.
constexpr int64_t kMaxCalls = 16;

// The stacked results of the calls. Thread-safe.
class Stacked {
 public:
  Stacked(int64_t rows, std::vector<DataType> types,
          AttrValue::ShapeList shapes, Allocator* allocator)
      : rows_(rows),
        types_(std::move(types)),
        shapes_(std::move(shapes)),
        allocator_(allocator),
        outputs_(types_.size()) {}

  // Makes the outputs whose shapes are known.
  Status Begin() {
    MutexLock lock(mu_);
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (!shapes_[i].IsFullyDefined()) continue;
      MR_ASSIGN_OR_RETURN(const TensorShape shape,
                          TensorShape::Make(shapes_[i].dims()));
      MR_RETURN_IF_ERROR(Make(i, shape));
    }
    return OkStatus();
  }

  // Takes the results of one call.
  Status Set(int64_t row, const std::vector<Tensor>& results) {
    if (results.size() != outputs_.size())
      return InvalidArgument("Mismatch in number of function outputs.");
    for (size_t i = 0; i < results.size(); ++i) {
      const Tensor& result = results[i];
      if (!result.valid())
        return InvalidArgument("Output ", i, " of the function is dead.");
      if (result.dtype() != types_[i]) {
        return InvalidArgument(
            "Mismatch in function return type and expected output type for "
            "output: ",
            i);
      }
      MutexLock lock(mu_);
      if (!outputs_[i].valid()) MR_RETURN_IF_ERROR(MakeFirst(i, result));
      Tensor& output = outputs_[i];
      const TensorShape row_shape = RowShape(output.shape());
      if (result.shape() != row_shape) return Mismatch(result, row_shape);
      const int64_t size = result.num_elements();
      char* const to = output.mutable_data();
      // Threads write different rows; elements of other types have more than
      // their own memory.
      if (IsPlain(result.dtype())) lock.Unlock();
      CopyElements(result.dtype(), result.data(), 0, to, row * size, size);
    }
    return OkStatus();
  }

  // Requires: no call is in progress. Outputs that no call has given are not
  // valid.
  std::vector<Tensor> Take() { return std::move(outputs_); }

 private:
  static TensorShape RowShape(const TensorShape& shape) {
    DimVector dims = shape.dims();
    dims.erase(dims.begin());
    return TensorShape(absl::MakeConstSpan(dims));
  }
  static Status Mismatch(const Tensor& result, const TensorShape& expected) {
    return InvalidArgument(
        "Mismatch in function retval shape, ", result.shape().DebugString(),
        ", and expected output shape, ", expected.DebugString(), ".");
  }
  Status Make(size_t i, const TensorShape& row) {
    MR_ASSIGN_OR_RETURN(const TensorShape shape, WithRows(rows_, row));
    MR_ASSIGN_OR_RETURN(outputs_[i],
                        Tensor::Allocate(allocator_, types_[i], shape));
    return OkStatus();
  }
  // The first result tells the shape of all.
  Status MakeFirst(size_t i, const Tensor& result) {
    if (!shapes_[i].IsCompatibleWith(PartialShape(result.shape()))) {
      return InvalidArgument(
          "Mismatch in function retval shape, ", result.shape().DebugString(),
          ", and expected output shape, ", shapes_[i].DebugString(), ".");
    }
    return Make(i, result.shape());
  }

  const int64_t rows_;
  const std::vector<DataType> types_;
  const AttrValue::ShapeList shapes_;
  Allocator* const allocator_;
  Mutex mu_;
  std::vector<Tensor> outputs_;  // guarded by mu_, except disjoint rows
};

// One run of a MapDefun: calls for all rows, several at a time.
class MapRun : public std::enable_shared_from_this<MapRun> {
 public:
  MapRun(KernelContext& ctx, FunctionRunner::Handle function, int64_t rows,
         int num_arguments, std::vector<DataType> types,
         AttrValue::ShapeList shapes, Done done)
      : ctx_(ctx),
        function_(function),
        rows_(rows),
        num_arguments_(num_arguments),
        stacked_(rows, std::move(types), std::move(shapes), ctx.allocator()),
        inputs_(TakeInputs(ctx, 0)),
        done_(std::move(done)) {}

  void Start() {
    status_ = stacked_.Begin();
    const int64_t lines =
        status_.ok() ? std::min<int64_t>(rows_, kMaxCalls) : 0;
    lines_left_.store(lines + 1);
    for (int64_t i = 1; i < lines; ++i) {
      ctx_.device().lanes().inter_op.Schedule(
          [self = shared_from_this()] { Continue(self, NewLine()); });
    }
    if (lines > 0) Continue(shared_from_this(), NewLine());
    EndLine();
  }

 private:
  // One wake-up in this time costs next to nothing.
  static constexpr int64_t kInlineNanos = 1'000'000;
  enum { kCalling, kWaiting, kCompleted };
  // A line of calls, each made after the one before it. Since each may complete
  // inline, the line continues by a flag instead of recursion.
  using Line = std::shared_ptr<std::atomic<int>>;

  static Line NewLine() { return std::make_shared<std::atomic<int>>(kCalling); }

  static void Continue(const std::shared_ptr<MapRun>& self, const Line& line) {
    const int64_t began = NowNanos();
    for (;;) {
      const int64_t row = self->next_.fetch_add(1, std::memory_order_relaxed);
      if (row >= self->rows_ || self->Failed()) return self->EndLine();
      line->store(kCalling);
      Call(self, line, row);
      if (line->exchange(kWaiting) != kCompleted) return;
      if (NowNanos() - began > kInlineNanos) {
        Batch::FlushAll();
        self->ctx_.device().lanes().inter_op.Schedule(
            [self, line] { Continue(self, line); });
        return;
      }
    }
  }

  static void Call(const std::shared_ptr<MapRun>& self, const Line& line,
                   int64_t row) {
    auto args = self->ArgsOf(row);
    if (!args.ok()) {
      self->Fail(args.status());
      line->store(kCompleted);
      return;
    }
    self->ctx_.step().functions->Run(
        self->ctx_, self->function_, *std::move(args),
        FunctionRunner::Views::kBind,
        [self, line, row](Status status, std::vector<Tensor> results) {
          if (status.ok()) status = self->stacked_.Set(row, results);
          if (!status.ok()) self->Fail(status);
          if (line->exchange(kCompleted) == kWaiting) Continue(self, line);
        });
  }

  StatusOr<std::vector<Tensor>> ArgsOf(int64_t row) const {
    std::vector<Tensor> args;
    args.reserve(inputs_.size());
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (i >= static_cast<size_t>(num_arguments_)) {
        args.push_back(inputs_[i]);
        continue;
      }
      MR_ASSIGN_OR_RETURN(Tensor slice,
                          SliceOf(inputs_[i], row, ctx_.allocator()));
      args.push_back(std::move(slice));
    }
    return args;
  }

  bool Failed() {
    MutexLock lock(mu_);
    if (status_.ok()) status_ = ctx_.CheckCancelled();
    return !status_.ok();
  }
  void Fail(const Status& status) {
    MutexLock lock(mu_);
    UpdateStatus(status_, status);
  }

  // The last line that ends completes the run.
  void EndLine() {
    if (lines_left_.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    Status status;
    {
      MutexLock lock(mu_);
      status = status_;
    }
    std::vector<Tensor> outputs = stacked_.Take();
    for (size_t i = 0; status.ok() && i < outputs.size(); ++i) {
      if (outputs[i].valid())
        ctx_.set_output(static_cast<int>(i), std::move(outputs[i]));
    }
    std::move(done_)(std::move(status));
  }

  KernelContext& ctx_;
  const FunctionRunner::Handle function_;
  const int64_t rows_;
  const int num_arguments_;
  Stacked stacked_;
  const std::vector<Tensor> inputs_;
  Done done_;
  std::atomic<int64_t> next_{0};
  std::atomic<int64_t> lines_left_{0};
  Mutex mu_;
  Status status_;  // guarded by mu_
};

class MapDefunKernel {
 public:
  static StatusOr<MapDefunKernel> Make(const KernelInit& init) {
    MapDefunKernel k;
    MR_ASSIGN_OR_RETURN(k.function_, init.Attr<AttrValue::Func>("f"));
    MR_ASSIGN_OR_RETURN(k.types_,
                        init.Attr<AttrValue::TypeList>("output_types"));
    MR_ASSIGN_OR_RETURN(k.shapes_,
                        init.Attr<AttrValue::ShapeList>("output_shapes"));
    MR_ASSIGN_OR_RETURN(const ArgRange arguments, init.Input("arguments"));
    k.num_arguments_ = arguments.end;
    MR_RETURN_IF_ERROR(init.Attr<int32_t>("max_intra_op_parallelism").status());
    if (k.types_.size() == k.shapes_.size()) return k;
    return InvalidArgument(
        "Length of output_shapes and output_types must match. They are ",
        k.shapes_.size(), " and ", k.types_.size());
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const StatusOr<int64_t> rows = Rows(ctx);
    if (!rows.ok()) return std::move(done)(rows.status());
    const auto handle = InstantiateInStep(ctx, function_);
    if (!handle.ok()) return std::move(done)(handle.status());
    std::make_shared<MapRun>(ctx, *handle, *rows, num_arguments_, types_,
                             shapes_, std::move(done))
        ->Start();
  }

 private:
  StatusOr<int64_t> Rows(const KernelContext& ctx) const {
    int64_t rows = 0;
    for (int i = 0; i < num_arguments_; ++i) {
      const TensorShape& shape = ctx.input(i).shape();
      if (shape.rank() == 0) {
        return InvalidArgument("All inputs must have rank at least 1. Input ",
                               i, " has a rank of 0.");
      }
      if (i == 0) rows = shape.dim(0);
      if (shape.dim(0) != rows) {
        return InvalidArgument(
            "All inputs must have the same dimension 0. Input ", i,
            " has leading dimension ", shape.dim(0),
            ", while all previous inputs have leading dimension ", rows);
      }
    }
    return rows;
  }

  AttrValue::Func function_;
  std::vector<DataType> types_;
  AttrValue::ShapeList shapes_;
  int num_arguments_ = 0;
};

}  // namespace

MR_KERNELS(MapDefun, Cpu){{.make = MakeKernel<MapDefunKernel>}};

}  // namespace millrace::ops

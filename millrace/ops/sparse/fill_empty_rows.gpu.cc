// Kernels of SparseFillEmptyRows and its gradient on GPUs. They are
// asynchronous: how many rows are empty, and what is wrong, is copied to the
// host.
#include "millrace/ops/sparse/checks/fill_empty_rows.h"

#include <limits>
#include <utility>
#include <vector>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/device_read.gpu.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/mover.gpu.h"
#include "millrace/ops/indexing/where.gpu.h"
#include "millrace/ops/reduction/reduce.gpu.h"
#include "millrace/ops/state/rows/row_order.gpu.h"

MR_GPU_SOURCE(sparse_fill_empty_rows);

namespace millrace::ops {
namespace {

constexpr int64_t kNoEntry = std::numeric_limits<int64_t>::max();

// FillState of the device text, as numbers.
enum StateNumber { kBadEntry = 0, kBadValue = 1, kEmpty = 2, kUnordered = 3 };

// Functions for elements of one size.
class FillFunctions {
 public:
  static StatusOr<FillFunctions> Make(const KernelInit& init, DataType type) {
    FillFunctions f;
    MR_RETURN_IF_ERROR(
        LoadGpuFunctions(init, MR_GPU_SOURCE_OF(sparse_fill_empty_rows),
                         {{"T", GpuNameOfSize(type)}},
                         {{&f.start, "StartFill"},
                          {&f.read_rows, "ReadRows"},
                          {&f.mark, "MarkEmpty"},
                          {&f.finish, "FinishFill"},
                          {&f.count_up, "CountUp"},
                          {&f.entries, "PlaceEntries"},
                          {&f.fillers, "PlaceFillers"},
                          {&f.gradients, "TakeGradients"}}));
    return f;
  }

  StatusOr<Tensor> Start(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(Tensor state,
                        ctx.AllocateTemp(DataType::kInt64, TensorShape({4})));
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, start, kOneWarp, GpuOutput(state)));
    return state;
  }
  // `total` may be null; `numbers` has `step` for each entry.
  Status Finish(KernelContext& ctx, const Tensor* total, const Tensor& numbers,
                int64_t step, Tensor* state) const {
    return LaunchGpu(ctx, finish, kOneWarp, GpuOutput(*state),
                     total == nullptr ? GpuPointer() : GpuInput(*total),
                     GpuInput(numbers), step);
  }

  static constexpr GpuGrid kOneWarp = {.blocks = 1, .threads = 32};

  GpuFunction start, read_rows, mark, finish, count_up, entries, fillers,
      gradients;
};

class FillEmptyRowsGpu {
 public:
  static StatusOr<FillEmptyRowsGpu> Make(const KernelInit& init) {
    FillEmptyRowsGpu k;
    MR_ASSIGN_OR_RETURN(k.functions_,
                        FillFunctions::Make(init, init.input_type(1)));
    MR_ASSIGN_OR_RETURN(k.order_, GpuRowOrder::Make(init, DataType::kInt64));
    MR_ASSIGN_OR_RETURN(k.places_, GpuNonZero::Make(init, DataType::kBool));
    return k;
  }

  void RunAsync(KernelContext& ctx, Done done) const {
    StatusOr<Found> found = Find(ctx);
    if (!found.ok()) return std::move(done)(found.status());
    Tensor state = found->state;
    ReadOnHost(
        ctx, std::move(state),
        [this, &ctx, found = *std::move(found)](const Tensor& numbers) {
          return Fill(ctx, found, numbers.flat<int64_t>().data());
        },
        std::move(done));
  }

 private:
  struct Found {
    int64_t rows = 0;
    SortedRows sorted;
    Tensor begins, empty, counts, state;
  };

  StatusOr<Found> Find(KernelContext& ctx) const {
    Found f;
    MR_ASSIGN_OR_RETURN(f.rows, RowsToFill(ctx));
    const Tensor& coordinates = ctx.input(0);
    const int64_t count = coordinates.dim(0), rank = coordinates.dim(1);
    MR_ASSIGN_OR_RETURN(Tensor* const empty,
                        ctx.AllocateOutput(2, TensorShape({f.rows})));
    f.empty = *empty;
    MR_ASSIGN_OR_RETURN(f.state, functions_.Start(ctx));
    MR_ASSIGN_OR_RETURN(
        Tensor at, ctx.AllocateTemp(DataType::kInt64, TensorShape({count})));
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, functions_.read_rows, GridOver(count),
                                 GpuInput(coordinates), GpuOutput(at),
                                 GpuOutput(f.state), count, rank, f.rows));
    const int64_t dims[] = {f.rows};
    MR_ASSIGN_OR_RETURN(f.sorted, order_.Sort(ctx, at, count, dims));
    MR_ASSIGN_OR_RETURN(f.begins, order_.Begins(ctx, f.sorted, f.rows));
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, functions_.mark, GridOver(f.rows),
                                 GpuInput(f.begins), GpuOutput(f.empty),
                                 f.rows));
    MR_ASSIGN_OR_RETURN(f.counts, places_.Count(ctx, f.empty));
    const Tensor total = GpuNonZero::Total(f.counts);
    MR_RETURN_IF_ERROR(
        functions_.Finish(ctx, &total, coordinates, rank, &f.state));
    return f;
  }

  Status Fill(KernelContext& ctx, const Found& f, const int64_t* state) const {
    if (state[kBadEntry] != kNoEntry) {
      return BadRow(state[kBadEntry], state[kBadValue], f.rows);
    }
    const Tensor coordinates = ctx.input(0), values = ctx.input(1);
    const int64_t count = coordinates.dim(0), rank = coordinates.dim(1);
    const int64_t empty = state[kEmpty];
    MR_ASSIGN_OR_RETURN(Tensor* const map,
                        ctx.AllocateOutput(3, TensorShape({count})));
    if (empty == 0 && state[kUnordered] == 0) {
      ctx.set_output(0, coordinates);
      ctx.set_output(1, values);
      return LaunchGpu(ctx, functions_.count_up, GridOver(count),
                       GpuOutput(*map), count);
    }
    MR_ASSIGN_OR_RETURN(const TensorShape shape,
                        TensorShape::Make({count + empty, rank}));
    MR_ASSIGN_OR_RETURN(Tensor* const to, ctx.AllocateOutput(0, shape));
    MR_ASSIGN_OR_RETURN(Tensor* const z,
                        ctx.AllocateOutput(1, TensorShape({count + empty})));
    MR_ASSIGN_OR_RETURN(
        Tensor empties,
        ctx.AllocateTemp(DataType::kInt64, TensorShape({empty, 1})));
    MR_RETURN_IF_ERROR(places_.Write(ctx, f.empty, f.counts, &empties));
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, functions_.entries, GridOver(count),
                                 GpuInput(f.sorted.keys), GpuInput(empties),
                                 GpuInput(coordinates), GpuInput(values),
                                 GpuOutput(*map), GpuOutput(*to), GpuOutput(*z),
                                 count, empty, f.sorted.position_bits, rank));
    return LaunchGpu(ctx, functions_.fillers, GridOver(empty),
                     GpuInput(f.begins), GpuInput(empties),
                     GpuInput(ctx.input(3)), GpuOutput(*to), GpuOutput(*z),
                     empty, rank);
  }

  FillFunctions functions_;
  GpuRowOrder order_;
  GpuNonZero places_;
};

class FillEmptyRowsGradGpu {
 public:
  static StatusOr<FillEmptyRowsGradGpu> Make(const KernelInit& init) {
    FillEmptyRowsGradGpu k;
    MR_ASSIGN_OR_RETURN(k.functions_,
                        FillFunctions::Make(init, init.input_type(1)));
    MR_ASSIGN_OR_RETURN(k.mover_, GpuMover::Make(init, {}));
    MR_ASSIGN_OR_RETURN(k.sum_,
                        GpuReducer::Make(init, init.input_type(1), "AddOf"));
    return k;
  }

  void RunAsync(KernelContext& ctx, Done done) const {
    StatusOr<Tensor> state = Enqueue(ctx);
    if (!state.ok()) return std::move(done)(state.status());
    const int64_t total = ctx.input(1).dim(0);
    ReadOnHost(
        ctx, *std::move(state),
        [total](const Tensor& numbers) {
          const auto found = numbers.flat<int64_t>();
          return found[kBadEntry] == kNoEntry
                     ? OkStatus()
                     : BadReverseIndex(found[kBadValue], total);
        },
        std::move(done));
  }

 private:
  StatusOr<Tensor> Enqueue(KernelContext& ctx) const {
    const Tensor &map = ctx.input(0), &dy = ctx.input(1);
    MR_RETURN_IF_ERROR(CheckFilledGrad(map, dy));
    const int64_t count = map.dim(0), total = dy.dim(0);
    MR_ASSIGN_OR_RETURN(Tensor* const values,
                        ctx.AllocateOutput(0, map.shape()));
    MR_ASSIGN_OR_RETURN(Tensor* const filler,
                        ctx.AllocateOutput(1, TensorShape()));
    MR_ASSIGN_OR_RETURN(Tensor state, functions_.Start(ctx));
    MR_ASSIGN_OR_RETURN(Tensor rest, ctx.AllocateTemp(dy.dtype(), dy.shape()));
    MR_RETURN_IF_ERROR(mover_.CopyAll(ctx, dy, &rest));
    MR_RETURN_IF_ERROR(LaunchGpu(
        ctx, functions_.gradients, GridOver(count), GpuInput(map), GpuInput(dy),
        GpuOutput(*values), GpuOutput(rest), GpuOutput(state), count, total));
    MR_RETURN_IF_ERROR(functions_.Finish(ctx, nullptr, map, 1, &state));
    MR_RETURN_IF_ERROR(sum_.Reduce(ctx, rest, {true}, filler));
    return state;
  }

  FillFunctions functions_;
  GpuMover mover_;
  GpuReducer sum_;
};

}  // namespace

MR_KERNELS(SparseFillEmptyRows, Gpu){{.types = "T: " MR_GPU_TYPES ", int32",
                                      .make = MakeKernel<FillEmptyRowsGpu>,
                                      .host = "dense_shape"},
                                     kOnHostIfAsked};
MR_KERNELS(SparseFillEmptyRowsGrad, Gpu){
    {.types = "T: float, double, half, bfloat16, int8, int16, int32, int64, "
              "uint8, uint16, uint32, uint64",
     .make = MakeKernel<FillEmptyRowsGradGpu>},
    kOnHostIfAsked};

}  // namespace millrace::ops

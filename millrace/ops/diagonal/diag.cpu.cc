#include <algorithm>
#include <cstring>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/shape_rules.op.h"
#include "millrace/ops/diagonal/diag.h"

namespace millrace::ops {

Status MakeDiag(KernelContext& ctx, const Mover& mover) {
  const Tensor& in = ctx.input(0);
  if (in.rank() < 1)
    return InvalidArgument("Input must be at least rank 1, got ", in.rank());
  DimVector dims = in.shape().dims();
  dims.insert(dims.end(), dims.begin(), dims.begin() + in.rank());
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, std::move(shape)));
  MR_RETURN_IF_ERROR(mover.Zero(ctx, out));
  StridedCopySpec spec;
  spec.Add(in.num_elements(), 1, in.num_elements() + 1);
  return mover.Copy(ctx, in, out, spec);
}

Status TakeDiag(KernelContext& ctx, const Mover& mover) {
  const Tensor& in = ctx.input(0);
  if (in.rank() % 2 != 0) {
    return InvalidArgument(
        "The rank of the tensor should be even and positive, got shape ",
        in.shape().DebugString());
  }
  const int half = in.rank() / 2;
  DimVector dims;
  for (int i = 0; i < half; ++i) {
    if (in.dim(i) != in.dim(i + half)) {
      return InvalidArgument("Invalid shape ", in.shape().DebugString(),
                             ": dimensions ", i, " and ", i + half,
                             " do not match.");
    }
    dims.push_back(in.dim(i));
  }
  TensorShape shape{absl::Span<const int64_t>(dims)};
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, std::move(shape)));
  StridedCopySpec spec;
  spec.Add(out->num_elements(), out->num_elements() + 1, 1);
  return mover.Copy(ctx, in, out, spec);
}

namespace {

// Returns the number of bands to keep. A negative number in `t` means all of
// them, `size`.
StatusOr<int64_t> Bands(const Tensor& t, const char* name, int64_t size,
                        const char* what) {
  if (t.rank() != 0) {
    return InvalidArgument(name, " must be scalar, got shape ",
                           t.shape().DebugString());
  }
  const int64_t n = IntAt(t, 0);
  if (n > size) {
    return InvalidArgument(name,
                           " must be negative or less or equal to number of ",
                           what, " (", size, ") got: ", n);
  }
  return n < 0 ? size : n;
}

}  // namespace

StatusOr<BandPlan> PlanBandPart(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  const int rank = in.rank();
  if (rank < 2) {
    return InvalidArgument("input must be at least 2-dim, received shape: ",
                           in.shape().DebugString());
  }
  const int64_t rows = in.dim(rank - 2);
  const int64_t columns = in.dim(rank - 1);
  MR_ASSIGN_OR_RETURN(const int64_t lower,
                      Bands(ctx.input(1), "num_lower", rows, "rows"));
  MR_ASSIGN_OR_RETURN(const int64_t upper,
                      Bands(ctx.input(2), "num_upper", columns, "columns"));
  return BandPlan{rows, columns, lower, upper};
}

namespace {

Status MatrixBandPartKernel(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  MR_ASSIGN_OR_RETURN(const BandPlan plan, PlanBandPart(ctx));
  const auto [rows, columns, lower, upper] = plan;
  if (plan.keeps_all()) {
    ctx.set_output(0, ctx.TakeInput(0));
    return OkStatus();
  }
  MR_RETURN_IF_ERROR(ctx.BindInput(0));
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, in.shape()));
  if (in.num_elements() == 0) return OkStatus();
  const int64_t size = static_cast<int64_t>(SizeOf(in.dtype()));
  const char* src = in.data();
  char* dst = out->mutable_data();
  const int64_t all_rows = in.num_elements() / columns;
  return ctx.ParallelFor(
      all_rows, MoveCost(in.dtype(), columns) + 5,
      [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          const int64_t i = r % rows;
          const int64_t first = std::clamp<int64_t>(i - lower, 0, columns);
          const int64_t stop =
              std::clamp<int64_t>(i + upper + 1, first, columns);
          const char* from = src + r * columns * size;
          char* to = dst + r * columns * size;
          std::memset(to, 0, static_cast<size_t>(first * size));
          std::memcpy(to + first * size, from + first * size,
                      static_cast<size_t>((stop - first) * size));
          std::memset(to + stop * size, 0,
                      static_cast<size_t>((columns - stop) * size));
        }
      });
}

}  // namespace

MR_KERNELS(Diag, Cpu){
    {.types = "T: float, double, half, int32, int64, complex64, complex128",
     .make = MakeOnCpu<MoveBy<MakeDiag>>}};
MR_KERNELS(DiagPart, Cpu){
    {.types = "T: float, double, half, int32, int64, complex64, complex128",
     .make = MakeOnCpu<MoveBy<TakeDiag>>}};
MR_KERNELS(MatrixBandPart,
           Cpu){{.types = "T: " MR_PLAIN_TYPES,
                 .make = MakeFunctionKernel<MatrixBandPartKernel>,
                 .host = "num_lower, num_upper",
                 .views = "input"}};

MR_KERNELS(BatchMatrixBandPart,
           Cpu){{.types = "T: " MR_NUMBER_TYPES,
                 .make = MakeFunctionKernel<MatrixBandPartKernel>,
                 .host = "num_lower, num_upper",
                 .views = "input"}};

}  // namespace millrace::ops

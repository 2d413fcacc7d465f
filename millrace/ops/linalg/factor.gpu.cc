#include "millrace/ops/linalg/factor.gpu.h"

#include <algorithm>

MR_GPU_SOURCE(linalg_factor);

namespace millrace::ops {
namespace {

// Larger matrices are factored column by column by the whole device.
constexpr int64_t kLargestOfOneBlock = 128;
constexpr int64_t kFactorTile = 32;  // as in the device text

GpuGrid BlocksOf(int64_t n) { return {.blocks = n, .strided = true}; }

// The blocks that update the rest behind column k.
int32_t TilesBehind(int64_t count, int64_t n, int64_t k) {
  const int64_t tiles = (n - k - 1 + kFactorTile - 1) / kFactorTile;
  return static_cast<int32_t>(count * tiles * tiles);
}

}  // namespace

StatusOr<GpuFactors> GpuFactors::Make(const KernelInit& init, DataType type) {
  const std::vector<GpuDefine> defines = {{"T", GpuTypeName(type)}};
  const auto lazy = [&](const char* entry) {
    return LazyGpuFunction(init, MR_GPU_SOURCE_OF(linalg_factor), entry,
                           defines);
  };
  GpuFactors f;
  f.type_ = type;
  f.copy_ = lazy("CopyMatrices");
  f.start_lu_ = lazy("StartLu");
  f.factor_lu_ = lazy("FactorLu");
  f.lu_columns_ = lazy("MakeLuColumns");
  f.subtract_rest_ = lazy("SubtractFromRest");
  f.find_singular_ = lazy("FindSingular");
  f.widen_ = lazy("WidenOrder");
  f.order_rows_ = lazy("OrderRows");
  f.determinants_ = lazy("Determinants");
  f.triangles_ = lazy("SolveTriangles");
  f.take_ = lazy("TakePlaces");
  f.factor_cholesky_ = lazy("FactorCholesky");
  f.cholesky_columns_ = lazy("MakeCholeskyColumns");
  f.subtract_squares_ = lazy("SubtractSquares");
  f.finish_cholesky_ = lazy("FinishCholesky");
  // What is wrong with the text or the compiler shows when a kernel is made.
  MR_RETURN_IF_ERROR(f.copy_.Get().status());
  return f;
}

StatusOr<Tensor> GpuFactors::Copy(KernelContext& ctx, const Tensor& x,
                                  int64_t count, int64_t n,
                                  bool adjoint) const {
  MR_ASSIGN_OR_RETURN(Tensor to,
                      ctx.AllocateTemp(type_, TensorShape({count, n, n})));
  MR_RETURN_IF_ERROR(CopyTo(ctx, x, count, n, adjoint, &to));
  return to;
}

Status GpuFactors::CopyTo(KernelContext& ctx, const Tensor& x, int64_t count,
                          int64_t n, bool adjoint, Tensor* to) const {
  MR_ASSIGN_OR_RETURN(const GpuFunction copy, copy_.Get());
  return LaunchGpu(ctx, copy, GridOver(count * n * n), GpuInput(x),
                   GpuOutput(*to), count, n, adjoint);
}

Status GpuFactors::Lu(KernelContext& ctx, GpuLuFactors* f) const {
  const int64_t count = f->count, n = f->n;
  if (!f->orders.valid()) {
    MR_ASSIGN_OR_RETURN(
        f->orders, ctx.AllocateTemp(DataType::kInt32, TensorShape({count, n})));
  }
  MR_ASSIGN_OR_RETURN(
      f->states, ctx.AllocateTemp(DataType::kInt32, TensorShape({count, 2})));
  MR_ASSIGN_OR_RETURN(const GpuFunction start, start_lu_.Get());
  MR_RETURN_IF_ERROR(LaunchGpu(ctx, start, GridOver(std::max(count, count * n)),
                               GpuOutput(f->orders), GpuOutput(f->states),
                               count, n));
  if (n <= kLargestOfOneBlock) {
    MR_ASSIGN_OR_RETURN(const GpuFunction factor, factor_lu_.Get());
    return LaunchGpu(ctx, factor, BlocksOf(n == 0 ? 0 : count),
                     GpuOutput(f->matrices), GpuOutput(f->orders),
                     GpuOutput(f->states), count, n);
  }
  MR_ASSIGN_OR_RETURN(const GpuFunction make, lu_columns_.Get());
  MR_ASSIGN_OR_RETURN(const GpuFunction subtract, subtract_rest_.Get());
  for (int64_t k = 0; k < n; ++k) {
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, make, BlocksOf(count),
                                 GpuOutput(f->matrices), GpuOutput(f->orders),
                                 GpuOutput(f->states), count, n, k));
    const int32_t blocks = TilesBehind(count, n, k);
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, subtract, BlocksOf(blocks),
                                 GpuOutput(f->matrices), blocks, n, k));
  }
  return OkStatus();
}

Status GpuFactors::WidenOrders(KernelContext& ctx, const GpuLuFactors& f,
                               Tensor* out) const {
  MR_ASSIGN_OR_RETURN(const GpuFunction widen, widen_.Get());
  const int64_t n = out->num_elements();
  return LaunchGpu(ctx, widen, GridOver(n), GpuInput(f.orders), GpuOutput(*out),
                   n);
}

StatusOr<Tensor> GpuFactors::FindSingular(KernelContext& ctx,
                                          const GpuLuFactors& f) const {
  MR_ASSIGN_OR_RETURN(Tensor wrong,
                      ctx.AllocateTemp(DataType::kInt32, TensorShape({1})));
  MR_RETURN_IF_ERROR(FillGpuBytes(ctx, GpuOutput(wrong), 0, sizeof(int32_t)));
  MR_ASSIGN_OR_RETURN(const GpuFunction find, find_singular_.Get());
  MR_RETURN_IF_ERROR(LaunchGpu(ctx, find, GridOver(f.count),
                               GpuInput(f.matrices), GpuInput(f.states),
                               GpuOutput(wrong), f.count, f.n));
  return wrong;
}

Status GpuFactors::Solve(KernelContext& ctx, const GpuLuFactors& f,
                         const Tensor* b, int64_t columns, Tensor* x) const {
  MR_ASSIGN_OR_RETURN(const GpuFunction order, order_rows_.Get());
  MR_RETURN_IF_ERROR(LaunchGpu(ctx, order, GridOver(f.count * f.n * columns),
                               b == nullptr ? GpuPointer() : GpuInput(*b),
                               GpuInput(f.orders), GpuOutput(*x), f.count, f.n,
                               columns));
  MR_RETURN_IF_ERROR(SolveTriangles(
      ctx, {.matrices = &f.matrices, .lower = true, .ones = true}, f.count, f.n,
      columns, x));
  return SolveTriangles(ctx, {.matrices = &f.matrices, .lower = false}, f.count,
                        f.n, columns, x);
}

Status GpuFactors::Determinants(KernelContext& ctx, const GpuLuFactors& f,
                                Tensor* signs, Tensor* logs) const {
  MR_ASSIGN_OR_RETURN(const GpuFunction function, determinants_.Get());
  return LaunchGpu(ctx, function, GridOver(f.count), GpuInput(f.matrices),
                   GpuInput(f.states), GpuOutput(*signs),
                   logs == nullptr ? GpuPointer() : GpuOutput(*logs), f.count,
                   f.n);
}

Status GpuFactors::SolveTriangles(KernelContext& ctx, const Triangles& t,
                                  int64_t count, int64_t n, int64_t columns,
                                  Tensor* x) const {
  MR_ASSIGN_OR_RETURN(const GpuFunction function, triangles_.Get());
  int width = 1;
  while (width < 32 && width < columns) width *= 2;
  const int64_t blocks = count * ((columns + width - 1) / width);
  return LaunchGpu(ctx, function, BlocksOf(blocks), GpuInput(*t.matrices),
                   t.places == nullptr ? GpuPointer() : GpuInput(*t.places),
                   GpuOutput(*x), blocks, n, columns, width, t.lower, t.ones,
                   t.adjoint);
}

Status GpuFactors::TakePlaces(KernelContext& ctx, const Tensor& from,
                              const Tensor& places, int64_t size,
                              Tensor* to) const {
  MR_ASSIGN_OR_RETURN(const GpuFunction take, take_.Get());
  const int64_t n = to->num_elements();
  return LaunchGpu(ctx, take, GridOver(n), GpuInput(from), GpuInput(places),
                   GpuOutput(*to), n / size, size);
}

Status GpuFactors::Cholesky(KernelContext& ctx, int64_t count, int64_t n,
                            Tensor* matrices) const {
  MR_ASSIGN_OR_RETURN(Tensor failed,
                      ctx.AllocateTemp(DataType::kInt32, TensorShape({count})));
  MR_RETURN_IF_ERROR(FillGpuBytes(ctx, GpuOutput(failed), 0,
                                  static_cast<int64_t>(failed.size_bytes())));
  MR_ASSIGN_OR_RETURN(Tensor columns,
                      ctx.AllocateTemp(type_, TensorShape({count, n})));
  if (n <= kLargestOfOneBlock) {
    MR_ASSIGN_OR_RETURN(const GpuFunction factor, factor_cholesky_.Get());
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, factor, BlocksOf(count),
                                 GpuOutput(*matrices), GpuOutput(columns),
                                 GpuOutput(failed), count, n));
  } else {
    MR_ASSIGN_OR_RETURN(const GpuFunction make, cholesky_columns_.Get());
    MR_ASSIGN_OR_RETURN(const GpuFunction subtract, subtract_squares_.Get());
    for (int64_t j = 0; j < n; ++j) {
      MR_RETURN_IF_ERROR(LaunchGpu(ctx, make, BlocksOf(count),
                                   GpuOutput(*matrices), GpuOutput(columns),
                                   GpuOutput(failed), count, n, j));
      const int32_t blocks = TilesBehind(count, n, j);
      MR_RETURN_IF_ERROR(LaunchGpu(ctx, subtract, BlocksOf(blocks),
                                   GpuOutput(*matrices), GpuInput(columns),
                                   GpuInput(failed), blocks, n, j));
    }
  }
  MR_ASSIGN_OR_RETURN(const GpuFunction finish, finish_cholesky_.Get());
  return LaunchGpu(ctx, finish, GridOver(count * n * n), GpuOutput(*matrices),
                   GpuInput(failed), count, n);
}

}  // namespace millrace::ops

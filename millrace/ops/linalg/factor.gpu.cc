#include "millrace/ops/linalg/factor.gpu.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

MR_GPU_SOURCE(linalg_factor);

namespace millrace::ops {
namespace {

// Larger matrices are factored column by column by the whole device.
constexpr int64_t kLargestOfOneBlock = 128;
// Rows and columns that a block updates behind a column.
constexpr int64_t kFactorTile = 32;

GpuGrid BlocksOf(int64_t n) { return {.blocks = n, .strided = true}; }

// The blocks that update the rest behind column k.
int32_t TilesBehind(int64_t count, int64_t n, int64_t k) {
  const int64_t tiles = (n - k - 1 + kFactorTile - 1) / kFactorTile;
  return static_cast<int32_t>(count * tiles * tiles);
}

}  // namespace

StatusOr<GpuFactors> GpuFactors::Make(const KernelInit& init, DataType type) {
  const std::vector<GpuDefine> defines = {{"T", GpuTypeName(type)},
                                          {"TILE", absl::StrCat(kFactorTile)}};
  GpuFactors f;
  f.type_ = type;
  MR_RETURN_IF_ERROR(
      LoadGpuFunctions(init, MR_GPU_SOURCE_OF(linalg_factor), defines,
                       {{&f.copy_, "CopyMatrices"},
                        {&f.start_lu_, "StartLu"},
                        {&f.factor_lu_, "FactorLu"},
                        {&f.lu_columns_, "MakeLuColumns"},
                        {&f.subtract_rest_, "SubtractFromRest"},
                        {&f.find_singular_, "FindSingular"},
                        {&f.widen_, "WidenOrder"},
                        {&f.order_rows_, "OrderRows"},
                        {&f.determinants_, "Determinants"},
                        {&f.triangles_, "SolveTriangles"},
                        {&f.take_, "TakePlaces"},
                        {&f.factor_cholesky_, "FactorCholesky"},
                        {&f.cholesky_columns_, "MakeCholeskyColumns"},
                        {&f.subtract_squares_, "SubtractSquares"},
                        {&f.finish_cholesky_, "FinishCholesky"}}));
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
  return LaunchGpu(ctx, copy_, GridOver(count * n * n), GpuInput(x),
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
  MR_RETURN_IF_ERROR(
      LaunchGpu(ctx, start_lu_, GridOver(std::max(count, count * n)),
                GpuOutput(f->orders), GpuOutput(f->states), count, n));
  if (n <= kLargestOfOneBlock) {
    return LaunchGpu(ctx, factor_lu_, BlocksOf(n == 0 ? 0 : count),
                     GpuOutput(f->matrices), GpuOutput(f->orders),
                     GpuOutput(f->states), count, n);
  }
  for (int64_t k = 0; k < n; ++k) {
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, lu_columns_, BlocksOf(count),
                                 GpuOutput(f->matrices), GpuOutput(f->orders),
                                 GpuOutput(f->states), count, n, k));
    const int32_t blocks = TilesBehind(count, n, k);
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, subtract_rest_, BlocksOf(blocks),
                                 GpuOutput(f->matrices), blocks, n, k));
  }
  return OkStatus();
}

Status GpuFactors::WidenOrders(KernelContext& ctx, const GpuLuFactors& f,
                               Tensor* out) const {
  const int64_t n = out->num_elements();
  return LaunchGpu(ctx, widen_, GridOver(n), GpuInput(f.orders),
                   GpuOutput(*out), n);
}

StatusOr<Tensor> GpuFactors::FindSingular(KernelContext& ctx,
                                          const GpuLuFactors& f) const {
  MR_ASSIGN_OR_RETURN(Tensor wrong,
                      ctx.AllocateTemp(DataType::kInt32, TensorShape({1})));
  MR_RETURN_IF_ERROR(FillGpuBytes(ctx, GpuOutput(wrong), 0, sizeof(int32_t)));
  MR_RETURN_IF_ERROR(LaunchGpu(ctx, find_singular_, GridOver(f.count),
                               GpuInput(f.matrices), GpuInput(f.states),
                               GpuOutput(wrong), f.count, f.n));
  return wrong;
}

Status GpuFactors::Solve(KernelContext& ctx, const GpuLuFactors& f,
                         const Tensor* b, int64_t columns, Tensor* x) const {
  MR_RETURN_IF_ERROR(
      LaunchGpu(ctx, order_rows_, GridOver(f.count * f.n * columns),
                b == nullptr ? GpuPointer() : GpuInput(*b), GpuInput(f.orders),
                GpuOutput(*x), f.count, f.n, columns));
  MR_RETURN_IF_ERROR(SolveTriangles(
      ctx, {.matrices = &f.matrices, .lower = true, .ones = true}, f.count, f.n,
      columns, x));
  return SolveTriangles(ctx, {.matrices = &f.matrices, .lower = false}, f.count,
                        f.n, columns, x);
}

Status GpuFactors::Determinants(KernelContext& ctx, const GpuLuFactors& f,
                                Tensor* signs, Tensor* logs) const {
  return LaunchGpu(ctx, determinants_, GridOver(f.count), GpuInput(f.matrices),
                   GpuInput(f.states), GpuOutput(*signs),
                   logs == nullptr ? GpuPointer() : GpuOutput(*logs), f.count,
                   f.n);
}

Status GpuFactors::SolveTriangles(KernelContext& ctx, const Triangles& t,
                                  int64_t count, int64_t n, int64_t columns,
                                  Tensor* x) const {
  int width = 1;
  while (width < 32 && width < columns) width *= 2;
  const int64_t blocks = count * ((columns + width - 1) / width);
  return LaunchGpu(ctx, triangles_, BlocksOf(blocks), GpuInput(*t.matrices),
                   t.places == nullptr ? GpuPointer() : GpuInput(*t.places),
                   GpuOutput(*x), blocks, n, columns, width, t.lower, t.ones,
                   t.adjoint);
}

Status GpuFactors::TakePlaces(KernelContext& ctx, const Tensor& from,
                              const Tensor* places, int64_t size,
                              Tensor* to) const {
  const int64_t n = to->num_elements();
  return LaunchGpu(ctx, take_, GridOver(n), GpuInput(from),
                   places == nullptr ? GpuPointer() : GpuInput(*places),
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
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, factor_cholesky_, BlocksOf(count),
                                 GpuOutput(*matrices), GpuOutput(columns),
                                 GpuOutput(failed), count, n));
  } else {
    for (int64_t j = 0; j < n; ++j) {
      MR_RETURN_IF_ERROR(LaunchGpu(ctx, cholesky_columns_, BlocksOf(count),
                                   GpuOutput(*matrices), GpuOutput(columns),
                                   GpuOutput(failed), count, n, j));
      const int32_t blocks = TilesBehind(count, n, j);
      MR_RETURN_IF_ERROR(LaunchGpu(ctx, subtract_squares_, BlocksOf(blocks),
                                   GpuOutput(*matrices), GpuInput(columns),
                                   GpuInput(failed), blocks, n, j));
    }
  }
  return LaunchGpu(ctx, finish_cholesky_, GridOver(count * n * n),
                   GpuOutput(*matrices), GpuInput(failed), count, n);
}

}  // namespace millrace::ops

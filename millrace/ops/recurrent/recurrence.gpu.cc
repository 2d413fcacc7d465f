#include "millrace/ops/recurrent/recurrence.gpu.h"

#include <limits>

MR_GPU_SOURCE(recurrent_cell);
MR_GPU_SOURCE(recurrent_recurrence);

namespace millrace::ops {
namespace {

// The arguments of device text; as there.
struct StepArgs {
  int64_t batch = 0, cell = 0, cell_gate = 0, forget_gate = 0;
  float forget_bias = 0, cell_clip = 0;
  int32_t use_peephole = 0;
  const void *from_x, *from_h, *bias, *wci, *wcf, *wco, *cs_prev;
  void *i, *cs, *f, *o, *ci, *co, *h;
};
struct BackArgs {
  int64_t batch = 0, cell = 0, cell_gate = 0, forget_gate = 0;
  int32_t use_peephole = 0;
  const void *i, *f, *o, *ci, *co, *cs_grad, *h_grad, *later_cs_grad,
      *later_h_grad, *wci, *wcf, *wco, *cs_prev;
  void *dgates, *cs_prev_grad;
};
constexpr int kMostSums = 4;
constexpr int64_t kSumColumns = 32;
constexpr int kSumThreads = 512;
struct SumOf {
  int64_t first_tile = std::numeric_limits<int64_t>::max();
  int64_t columns = 0, stride = 0;
  const void *a = nullptr, *first = nullptr, *rest = nullptr;
  void* sum = nullptr;
};
struct SumArgs {
  int64_t rows = 0, first_rows = 0;
  SumOf sums[kMostSums];
};

}  // namespace

StatusOr<GpuRecurrence> GpuRecurrence::Make(const KernelInit& init) {
  GpuRecurrence r;
  const DataType type = init.output_type(0);
  r.product_ = GpuMatrixProduct(init, type);
  MR_ASSIGN_OR_RETURN(r.join_, GpuInputJoin::Make(init, type));
  const GpuSource* const sources[] = {&MR_GPU_SOURCE_OF(recurrent_cell),
                                      &MR_GPU_SOURCE_OF(recurrent_recurrence)};
  const std::vector<GpuDefine> defines = {{"T", GpuTypeName(type)}};
  MR_RETURN_IF_ERROR(LoadGpuFunctions(init, sources, defines,
                                      {{&r.step_, "LstmStep"},
                                       {&r.step_back_, "LstmStepBack"},
                                       {&r.sum_rows_, "SumRows"}}));
  return r;
}

template <class T>
Status GpuRecurrence::Step(KernelContext& ctx, const LstmLayer& l,
                           const GateSums<T>& sums, const Peepholes<T>& w,
                           const T* cs_prev, const LstmResults<T>& out) const {
  const StepArgs a{.batch = l.batch,
                   .cell = l.cell,
                   .cell_gate = l.CellGate(),
                   .forget_gate = l.ForgetGate(),
                   .forget_bias = l.forget_bias,
                   .cell_clip = l.cell_clip,
                   .use_peephole = l.use_peephole ? 1 : 0,
                   .from_x = sums.from_x,
                   .from_h = sums.from_h,
                   .bias = sums.bias,
                   .wci = w.wci,
                   .wcf = w.wcf,
                   .wco = w.wco,
                   .cs_prev = cs_prev,
                   .i = out.i,
                   .cs = out.cs,
                   .f = out.f,
                   .o = out.o,
                   .ci = out.ci,
                   .co = out.co,
                   .h = out.h};
  return LaunchGpu(ctx, step_, GridOver(l.batch * l.cell), a);
}

template <class T>
Status GpuRecurrence::StepBack(KernelContext& ctx, const LstmLayer& l,
                               const LstmStepGradient<T>& in,
                               const Peepholes<T>& w, const T* cs_prev,
                               T* dgates, T* cs_prev_grad) const {
  const BackArgs a{.batch = l.batch,
                   .cell = l.cell,
                   .cell_gate = l.CellGate(),
                   .forget_gate = l.ForgetGate(),
                   .use_peephole = l.use_peephole ? 1 : 0,
                   .i = in.i,
                   .f = in.f,
                   .o = in.o,
                   .ci = in.ci,
                   .co = in.co,
                   .cs_grad = in.cs_grad,
                   .h_grad = in.h_grad,
                   .later_cs_grad = in.later_cs_grad,
                   .later_h_grad = in.later_h_grad,
                   .wci = w.wci,
                   .wcf = w.wcf,
                   .wco = w.wco,
                   .cs_prev = cs_prev,
                   .dgates = dgates,
                   .cs_prev_grad = cs_prev_grad};
  return LaunchGpu(ctx, step_back_, GridOver(l.batch * l.cell), a);
}

template <class T>
Status GpuRecurrence::SumRows(KernelContext& ctx, int64_t rows,
                              int64_t first_rows,
                              std::initializer_list<RowSum<T>> sums) const {
  SumArgs a{.rows = rows, .first_rows = first_rows};
  int64_t tiles = 0;
  int k = 0;
  for (const RowSum<T>& s : sums) {
    a.sums[k++] = {.first_tile = tiles,
                   .columns = s.columns,
                   .stride = s.stride,
                   .a = s.a,
                   .first = s.first,
                   .rest = s.rest,
                   .sum = s.sum};
    tiles += (s.columns + kSumColumns - 1) / kSumColumns;
  }
  return LaunchGpu(ctx, sum_rows_,
                   GpuGrid{.blocks = tiles, .threads = kSumThreads}, a);
}

MR_GPU_RECURRENCE(, float)
MR_GPU_RECURRENCE(, Half)

}  // namespace millrace::ops

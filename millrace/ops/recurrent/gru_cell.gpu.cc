// Kernels of a time step of a GRU layer on GPUs, in float. Inputs of a product
// lie side by side, [x, h], so that both parts of the weights make one product.
#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/product/matrix_product.gpu.h"
#include "millrace/ops/recurrent/cell.gpu.h"
#include "millrace/ops/recurrent/gru_cell_kernels.h"

MR_GPU_SOURCE(recurrent_cell);
MR_GPU_SOURCE(recurrent_gru_cell);

namespace millrace::ops {
namespace {

class GpuGru {
 public:
  static StatusOr<GpuGru> Make(const KernelInit& init) {
    GpuGru g;
    g.product_ = GpuMatrixProduct(init, DataType::kFloat);
    MR_ASSIGN_OR_RETURN(g.join_, GpuInputJoin::Make(init, DataType::kFloat));
    const GpuSource* const sources[] = {&MR_GPU_SOURCE_OF(recurrent_cell),
                                        &MR_GPU_SOURCE_OF(recurrent_gru_cell)};
    MR_RETURN_IF_ERROR(
        LoadGpuFunctions(init, sources, {{"T", "float"}},
                         {{&g.gates_, "GruGates"},
                          {&g.output_, "GruOutput"},
                          {&g.back_to_candidate_, "GruBackToCandidate"},
                          {&g.back_to_reset_, "GruBackToReset"},
                          {&g.finish_, "GruFinish"}}));
    return g;
  }
  static const float* Read(const Tensor& t) { return ReadOnGpu<float>(t); }
  static float* Write(Tensor* t) { return WriteOnGpu<float>(t); }

  Status Step(KernelContext& ctx, const GruSizes& s, const GruInputs& in,
              const GruResults& out) const {
    const int64_t b = s.batch, n = s.cell, columns = s.input + n;
    MR_ASSIGN_OR_RETURN(Tensor joined, join_.Run(ctx, {.rows = b,
                                                       .input = s.input,
                                                       .cell = n,
                                                       .first_rows = b,
                                                       .x = in.x,
                                                       .h = in.h_prev}));
    MR_ASSIGN_OR_RETURN(Tensor gates, Floats(ctx, b, 2 * n));
    MR_ASSIGN_OR_RETURN(Tensor candidate, Floats(ctx, b, n));
    const GpuGrid cells = GridOver(b * n);
    MatrixProblem p{.type = DataType::kFloat, .m = b, .k = columns, .n = 2 * n};
    MR_RETURN_IF_ERROR(product_.RunOrZero(ctx, p, GpuInput(joined),
                                          AtGpu(in.w_ru), GpuOutput(gates)));
    // h_prev beside x becomes r h_prev.
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, gates_, cells, s, in, GpuInput(gates),
                                 out, GpuOutput(joined)));
    p.n = n;
    MR_RETURN_IF_ERROR(product_.RunOrZero(ctx, p, GpuInput(joined),
                                          AtGpu(in.w_c), GpuOutput(candidate)));
    return LaunchGpu(ctx, output_, cells, s, in, GpuInput(candidate), out);
  }

  Status StepBack(KernelContext& ctx, const GruSizes& s, const GruInputs& in,
                  const GruSaved& saved, const GruGradients& out) const {
    const int64_t b = s.batch, n = s.cell, columns = s.input + n;
    // The gradients of [x, r h_prev], and of [x, h_prev].
    MR_ASSIGN_OR_RETURN(Tensor of_candidate, Floats(ctx, b, columns));
    MR_ASSIGN_OR_RETURN(Tensor of_gates, Floats(ctx, b, columns));
    const GpuGrid cells = GridOver(b * n);
    MR_RETURN_IF_ERROR(
        LaunchGpu(ctx, back_to_candidate_, cells, s, in.h_prev, saved, out));
    MatrixProblem p{.type = DataType::kFloat,
                    .m = b,
                    .k = n,
                    .n = columns,
                    .transpose_b = true};
    MR_RETURN_IF_ERROR(product_.RunOrZero(ctx, p, AtGpu(out.d_c), AtGpu(in.w_c),
                                          GpuOutput(of_candidate)));
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, back_to_reset_, cells, s, in.h_prev,
                                 saved, GpuInput(of_candidate), out));
    p.k = 2 * n;
    MR_RETURN_IF_ERROR(product_.RunOrZero(ctx, p, AtGpu(out.d_ru),
                                          AtGpu(in.w_ru), GpuOutput(of_gates)));
    return LaunchGpu(ctx, finish_, GridOver(b * columns), s, saved,
                     GpuInput(of_candidate), GpuInput(of_gates), out);
  }

 private:
  static StatusOr<Tensor> Floats(KernelContext& ctx, int64_t rows,
                                 int64_t columns) {
    MR_ASSIGN_OR_RETURN(const TensorShape shape,
                        TensorShape::Make({rows, columns}));
    return ctx.AllocateTemp(DataType::kFloat, shape);
  }

  GpuMatrixProduct product_;
  GpuInputJoin join_;
  GpuFunction gates_, output_, back_to_candidate_, back_to_reset_, finish_;
};

}  // namespace

MR_KERNELS(GRUBlockCell, Gpu){
    {.types = "T: float", .make = MakeKernel<gru_cell::GruCellKernel<GpuGru>>}};
MR_KERNELS(GRUBlockCellGrad,
           Gpu){{.types = "T: float",
                 .make = MakeKernel<gru_cell::GruCellGradKernel<GpuGru>>}};

}  // namespace millrace::ops

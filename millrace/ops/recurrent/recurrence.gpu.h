// GpuRecurrence: how kernels of LSTM layers compute on a GPU; as CpuRecurrence
// (recurrence.h). What a step does to its cells is one launch.
#pragma once

#include <initializer_list>

#include "millrace/ops/product/matrix_product.gpu.h"
#include "millrace/ops/recurrent/cell.gpu.h"
#include "millrace/ops/recurrent/column_sums.h"
#include "millrace/ops/recurrent/lstm_step.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

class GpuRecurrence {
 public:
  static StatusOr<GpuRecurrence> Make(const KernelInit& init);

  template <class T>
  static const T* Read(const Tensor& t) {
    return ReadOnGpu<T>(t);
  }
  template <class T>
  static T* Write(Tensor* t) {
    return WriteOnGpu<T>(t);
  }

  Status Product(KernelContext& ctx, const MatrixProblem& p, const void* a,
                 const void* b, void* c) const {
    return product_.RunOrZero(ctx, p, AtGpu(a), AtGpu(b), AtGpu(c));
  }
  template <class T>
  Status Step(KernelContext& ctx, const LstmLayer& layer,
              const GateSums<T>& sums, const Peepholes<T>& w, const T* cs_prev,
              const LstmResults<T>& out) const;
  template <class T>
  Status StepBack(KernelContext& ctx, const LstmLayer& layer,
                  const LstmStepGradient<T>& in, const Peepholes<T>& w,
                  const T* cs_prev, T* dgates, T* cs_prev_grad) const;

  template <class T>
  Status MultiplyInputs(KernelContext& ctx, const LstmLayer& l, const T* x,
                        const T* h_prev, const T* w, Tensor (&memory)[2],
                        GateSums<T>* sums) const {
    MR_ASSIGN_OR_RETURN(memory[0], join_.Run(ctx, {.rows = l.batch,
                                                   .input = l.input,
                                                   .cell = l.cell,
                                                   .first_rows = l.batch,
                                                   .x = x,
                                                   .h = h_prev}));
    MR_ASSIGN_OR_RETURN(const TensorShape gates,
                        TensorShape::Make({l.batch, 4 * l.cell}));
    MR_ASSIGN_OR_RETURN(memory[1], ctx.AllocateTemp(DataTypeOf<T>, gates));
    const MatrixProblem p{.type = DataTypeOf<T>,
                          .m = l.batch,
                          .k = l.input + l.cell,
                          .n = 4 * l.cell};
    sums->from_x = Read<T>(memory[1]);
    sums->from_h = nullptr;
    return Product(ctx, p, Read<T>(memory[0]), w, Write<T>(&memory[1]));
  }
  template <class T>
  Status MultiplyInputsBack(KernelContext& ctx, const LstmLayer& l,
                            int64_t rows, const T* x, const T* first,
                            const T* rest, const T* dgates, T* w_grad) const {
    MR_ASSIGN_OR_RETURN(const Tensor joined,
                        join_.Run(ctx, {.rows = rows,
                                        .input = l.input,
                                        .cell = l.cell,
                                        .first_rows = l.batch,
                                        .x = x,
                                        .h = first,
                                        .more = rest}));
    const MatrixProblem p{.type = DataTypeOf<T>,
                          .m = l.input + l.cell,
                          .k = rows,
                          .n = 4 * l.cell,
                          .transpose_a = true};
    return Product(ctx, p, Read<T>(joined), dgates, w_grad);
  }
  // One launch. The order of additions is the same in each run.
  template <class T>
  Status SumRows(KernelContext& ctx, int64_t rows, int64_t first_rows,
                 std::initializer_list<RowSum<T>> sums) const;
  template <class T>
  Status Zero(KernelContext& ctx, T* to, int64_t n) const {
    return FillGpuBytes(ctx, AtGpu(to), 0, n * static_cast<int64_t>(sizeof(T)));
  }

 private:
  GpuMatrixProduct product_;
  GpuInputJoin join_;
  GpuFunction step_, step_back_, sum_rows_;
};

#define MR_GPU_RECURRENCE(prefix, T)                                      \
  prefix template Status GpuRecurrence::Step<T>(                          \
      KernelContext&, const LstmLayer&, const GateSums<T>&,               \
      const Peepholes<T>&, const T*, const LstmResults<T>&) const;        \
  prefix template Status GpuRecurrence::StepBack<T>(                      \
      KernelContext&, const LstmLayer&, const LstmStepGradient<T>&,       \
      const Peepholes<T>&, const T*, T*, T*) const;                       \
  prefix template Status GpuRecurrence::SumRows<T>(                       \
      KernelContext&, int64_t, int64_t, std::initializer_list<RowSum<T>>) \
      const;
MR_GPU_RECURRENCE(extern, float)
MR_GPU_RECURRENCE(extern, Half)

}  // namespace millrace::ops

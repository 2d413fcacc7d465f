// CpuRecurrence: how kernels of recurrent cells compute on a CPU. The kernels
// are templates of a class like it, so that those for GPUs, whose memory the
// host cannot read, say the same (recurrence.gpu.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "millrace/kernel/kernel.h"
#include "millrace/ops/recurrent/column_sums.h"
#include "millrace/ops/recurrent/lstm_step.h"

namespace millrace::ops {

// The recurrence of one kernel. Pointers are addresses in the device's memory;
// all that it does is done in the order of the calls.
class CpuRecurrence {
 public:
  static StatusOr<CpuRecurrence> Make(const KernelInit&) {
    return CpuRecurrence();
  }

  // Return where the elements of a tensor begin.
  template <class T>
  static const T* Read(const Tensor& t) {
    return t.flat<T>().data();
  }
  template <class T>
  static T* Write(Tensor* t) {
    return t->mutable_flat<T>().data();
  }

  // Sets c, which has p.m * p.n elements of p.type, to the product of a and b;
  // to zeros if there is nothing to add up.
  Status Product(KernelContext& ctx, const MatrixProblem& p, const void* a,
                 const void* b, void* c) const {
    return ProductOrZero(ctx, product_, p, static_cast<const char*>(a),
                         static_cast<const char*>(b), static_cast<char*>(c));
  }
  template <class T>
  Status Step(KernelContext& ctx, const LstmLayer& layer,
              const GateSums<T>& sums, const Peepholes<T>& w, const T* cs_prev,
              const LstmResults<T>& out) const {
    return RunLstmStep<T>(ctx, layer, sums, w, cs_prev, out);
  }
  template <class T>
  Status StepBack(KernelContext& ctx, const LstmLayer& layer,
                  const LstmStepGradient<T>& in, const Peepholes<T>& w,
                  const T* cs_prev, T* dgates, T* cs_prev_grad) const {
    return RunLstmStepBack<T>(ctx, layer, in, w, cs_prev, dgates, cs_prev_grad);
  }
  // Sets the parts of the gates' sums to the products of x [batch, input] and
  // of h_prev with w. `memory` holds them. On a GPU they are one product.
  template <class T>
  Status MultiplyInputs(KernelContext& ctx, const LstmLayer& l, const T* x,
                        const T* h_prev, const T* w, Tensor (&memory)[2],
                        GateSums<T>* sums) const {
    MR_ASSIGN_OR_RETURN(const TensorShape gates,
                        TensorShape::Make({l.batch, 4 * l.cell}));
    for (Tensor& part : memory) {
      MR_ASSIGN_OR_RETURN(part, ctx.AllocateTemp(DataTypeOf<T>, gates));
    }
    MatrixProblem p{
        .type = DataTypeOf<T>, .m = l.batch, .k = l.input, .n = 4 * l.cell};
    MR_RETURN_IF_ERROR(Product(ctx, p, x, w, Write<T>(&memory[0])));
    p.k = l.cell;
    MR_RETURN_IF_ERROR(Product(ctx, p, h_prev, w + l.input * 4 * l.cell,
                               Write<T>(&memory[1])));
    sums->from_x = Read<T>(memory[0]);
    sums->from_h = Read<T>(memory[1]);
    return OkStatus();
  }
  // Sets w_grad to the transpose of the inputs [x, h] of `rows` rows times
  // their gates' gradients; h is as in RowSum, from `first` on. On a GPU it is
  // one product.
  template <class T>
  Status MultiplyInputsBack(KernelContext& ctx, const LstmLayer& l,
                            int64_t rows, const T* x, const T* first,
                            const T* rest, const T* dgates, T* w_grad) const {
    MR_ASSIGN_OR_RETURN(
        Tensor joined,
        ctx.AllocateTemp(DataTypeOf<T>, TensorShape({rows, l.cell})));
    T* const h = Write<T>(&joined);
    std::copy_n(first, l.batch * l.cell, h);
    std::copy_n(rest, (rows - l.batch) * l.cell, h + l.batch * l.cell);
    MatrixProblem p{.type = DataTypeOf<T>,
                    .m = l.input,
                    .k = rows,
                    .n = 4 * l.cell,
                    .transpose_a = true};
    MR_RETURN_IF_ERROR(Product(ctx, p, x, dgates, w_grad));
    p.m = l.cell;
    return Product(ctx, p, h, dgates, w_grad + l.input * 4 * l.cell);
  }
  // Computes sums over `rows` rows.
  template <class T>
  Status SumRows(KernelContext& ctx, int64_t rows, int64_t first_rows,
                 std::initializer_list<RowSum<T>> sums) const {
    return SetRowSums<T>(ctx, rows, first_rows, {sums.begin(), sums.size()});
  }
  // Sets n elements to zero.
  template <class T>
  Status Zero(KernelContext&, T* to, int64_t n) const {
    std::fill_n(to, n, T(0.0f));
    return OkStatus();
  }

 private:
  MatrixProduct product_;
};

}  // namespace millrace::ops

// Kernel of the gradients of LSTM layers over all time steps, for a recurrence
// R (recurrence.h). Products that do not depend on the step behind are computed
// for all steps at once.
#pragma once

#include "millrace/ops/recurrent/block_lstm.h"
#include "millrace/ops/recurrent/recurrence.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops::block_lstm_grad {

// Inputs of the gradients behind those: the results of the forward op, and the
// gradients of cells and outputs.
enum BlockLstmSaved { kI = 9, kCs, kF, kO, kCi, kCo, kH, kCsGrad, kHGrad };
enum BlockLstmGradient {
  kXGrad,
  kCsPrevGrad,
  kHPrevGrad,
  kWGrad,
  kWciGrad,
  kWcfGrad,
  kWcoGrad,
  kBGrad
};

template <class R, GateOrder kOrder>
class BlockLstmGradKernel {
 public:
  static StatusOr<BlockLstmGradKernel> Make(const KernelInit& init) {
    BlockLstmGradKernel k;
    MR_ASSIGN_OR_RETURN(k.recurrence_, R::Make(init));
    k.layer_.order = kOrder;
    MR_ASSIGN_OR_RETURN(k.layer_.use_peephole, init.Attr<bool>("use_peephole"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    LstmLayer l = layer_;
    MR_RETURN_IF_ERROR(Resolve(ctx, &l));
    MR_ASSIGN_OR_RETURN(const int64_t length,
                        SequenceLength(ctx, ctx.input(kSteps).dim(0)));
    return Dispatch<float, Half>(
        ctx.input_type(kSteps),
        [&]<class T>() -> Status { return RunTyped<T>(ctx, l, length); });
  }

 private:
  static Status Resolve(const KernelContext& ctx, LstmLayer* l) {
    MR_RETURN_IF_ERROR(ExpectSequenceScalar(ctx));
    constexpr const char* kNames[] = {"x",   "cs_prev", "h_prev", "w",
                                      "wci", "wcf",     "wco",    "b"};
    constexpr int kRanks[] = {3, 2, 2, 2, 1, 1, 1, 1};
    const auto dim = [&](int i, int d) { return ctx.input(i).dim(d); };
    for (int i = kSteps; i <= kBias; ++i) {
      const int rank = ctx.input(i).rank();
      if (rank != kRanks[i - kSteps]) {
        return InvalidArgument(kNames[i - kSteps], " must be rank ",
                               kRanks[i - kSteps], " but is rank ", rank);
      }
    }
    l->batch = dim(kSteps, 1);
    l->input = dim(kSteps, 2);
    l->cell = dim(kWeights, 1) / 4;
    MR_RETURN_IF_ERROR(ExpectSize(dim(kWeights, 1), l->cell * 4,
                                  "w matrix columns must be a multiple of 4"));
    MR_RETURN_IF_ERROR(ExpectSize(l->input + l->cell, dim(kWeights, 0),
                                  "w matrix rows don't match"));
    if (dim(kBias, 0) != l->cell * 4) {
      return InvalidArgument("w and b cell_size don't match: ", l->cell,
                             " vs. ", dim(kBias, 0));
    }
    MR_ASSIGN_OR_RETURN(const TensorShape cells,
                        TensorShape::Make({l->batch, l->cell}));
    for (const int i : {kFirstCells, kFirstOutputs}) {
      MR_RETURN_IF_ERROR(ExpectShape(ctx, i, kNames[i - kSteps], cells));
    }
    for (int i = kCellToInput; l->use_peephole && i <= kCellToOutput; ++i) {
      MR_RETURN_IF_ERROR(
          ExpectShape(ctx, i, kNames[i - kSteps], TensorShape({l->cell})));
    }
    return ResolveSaved(ctx, *l);
  }

  static Status ResolveSaved(const KernelContext& ctx, const LstmLayer& l) {
    constexpr const char* kNames[] = {"i",  "cs", "f",       "o",     "ci",
                                      "co", "h",  "cs_grad", "h_grad"};
    MR_ASSIGN_OR_RETURN(
        const TensorShape shape,
        TensorShape::Make({ctx.input(kSteps).dim(0), l.batch, l.cell}));
    for (int i = kI; i <= kHGrad; ++i) {
      const int rank = ctx.input(i).rank();
      if (rank != 3) {
        return InvalidArgument(kNames[i - kI],
                               " must be rank 3. Received: ", rank);
      }
    }
    for (int i = kI; i <= kHGrad; ++i) {
      MR_RETURN_IF_ERROR(ExpectShape(ctx, i, kNames[i - kI], shape));
    }
    return OkStatus();
  }

  static Status ExpectShape(const KernelContext& ctx, int i, const char* name,
                            const TensorShape& shape) {
    if (ctx.input(i).shape() == shape) return OkStatus();
    return InvalidArgument(name, " must have shape ", shape.DebugString(),
                           " but has shape ",
                           ctx.input(i).shape().DebugString());
  }

  template <class T>
  Status RunTyped(KernelContext& ctx, const LstmLayer& l,
                  int64_t length) const {
    Tensor* out[8];
    const int64_t step = l.batch * l.cell;
    const bool is_empty = length == 0 || step == 0;
    for (int i = 0; i < 8; ++i) {
      MR_ASSIGN_OR_RETURN(out[i],
                          ctx.AllocateOutput(i, ctx.input(kSteps + i).shape()));
      // The elements that nothing computes below are zero.
      const bool is_peephole = i >= kWciGrad && i <= kWcoGrad;
      int64_t computed = out[i]->num_elements();
      if (is_empty || (is_peephole && !l.use_peephole)) {
        computed = 0;
      } else if (i == kXGrad) {
        computed = length * l.batch * l.input;
      }
      MR_RETURN_IF_ERROR(
          recurrence_.Zero(ctx, R::template Write<T>(out[i]) + computed,
                           out[i]->num_elements() - computed));
    }
    if (is_empty) return OkStatus();
    MR_ASSIGN_OR_RETURN(Tensor dgates, TempOfSteps(ctx, DataTypeOf<T>, length,
                                                   l.batch, 4 * l.cell));
    MR_RETURN_IF_ERROR(RunSteps<T>(ctx, l, length, &dgates, out));
    MR_RETURN_IF_ERROR(RunProducts<T>(ctx, l, length, dgates, out));
    return RunSums<T>(ctx, l, length, dgates, out);
  }

  // Computes the gradients of the gates' sums, of cs_prev and of h_prev.
  template <class T>
  Status RunSteps(KernelContext& ctx, const LstmLayer& l, int64_t length,
                  Tensor* dgates, Tensor** out) const {
    const int64_t step = l.batch * l.cell;
    const auto at = [&](int i, int64_t t) {
      return ElementsOf<R, T>(ctx, i) + t * step;
    };
    const T* const w_h = ElementsOf<R, T>(ctx, kWeights) + l.input * 4 * l.cell;
    T* const cs_grad = R::template Write<T>(out[kCsPrevGrad]);
    T* const h_grad = R::template Write<T>(out[kHPrevGrad]);
    T* const first_d = R::template Write<T>(dgates);
    const MatrixProblem p{.type = DataTypeOf<T>,
                          .m = l.batch,
                          .k = 4 * l.cell,
                          .n = l.cell,
                          .transpose_b = true};
    for (int64_t t = length - 1; t >= 0; --t) {
      MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      const T* const cs_prev =
          t == 0 ? ElementsOf<R, T>(ctx, kFirstCells) : at(kCs, t - 1);
      T* const d = first_d + t * 4 * step;
      LstmStepGradient<T> in{at(kI, t),    at(kF, t),  at(kO, t),
                             at(kCi, t),   at(kCo, t), at(kCsGrad, t),
                             at(kHGrad, t)};
      if (t + 1 < length) {
        // The gradients that later steps gave are still in the outputs.
        in.later_cs_grad = cs_grad;
        in.later_h_grad = h_grad;
      }
      MR_RETURN_IF_ERROR(recurrence_.template StepBack<T>(
          ctx, l, in, LayerPeepholes<R, T>(ctx), cs_prev, d, cs_grad));
      MR_RETURN_IF_ERROR(recurrence_.Product(ctx, p, d, w_h, h_grad));
    }
    return OkStatus();
  }

  // Computes the gradients of x and w.
  template <class T>
  Status RunProducts(KernelContext& ctx, const LstmLayer& l, int64_t length,
                     const Tensor& dgates, Tensor** out) const {
    const T* const d = R::template Read<T>(dgates);
    const MatrixProblem p{.type = DataTypeOf<T>,
                          .m = length * l.batch,
                          .k = 4 * l.cell,
                          .n = l.input,
                          .transpose_b = true};
    MR_RETURN_IF_ERROR(recurrence_.Product(ctx, p, d,
                                           ElementsOf<R, T>(ctx, kWeights),
                                           R::template Write<T>(out[kXGrad])));
    return recurrence_.template MultiplyInputsBack<T>(
        ctx, l, p.m, ElementsOf<R, T>(ctx, kSteps),
        ElementsOf<R, T>(ctx, kFirstOutputs), ElementsOf<R, T>(ctx, kH), d,
        R::template Write<T>(out[kWGrad]));
  }

  // Computes the gradients of the bias and of the peepholes.
  template <class T>
  Status RunSums(KernelContext& ctx, const LstmLayer& l, int64_t length,
                 const Tensor& dgates, Tensor** out) const {
    const T* const d = R::template Read<T>(dgates);
    const int64_t rows = length * l.batch, row = 4 * l.cell;
    const RowSum<T> bias{row,     d,       row,
                         nullptr, nullptr, R::template Write<T>(out[kBGrad])};
    if (!l.use_peephole) {
      return recurrence_.template SumRows<T>(ctx, rows, l.batch, {bias});
    }
    const T* const before = ElementsOf<R, T>(ctx, kFirstCells);
    const T* const cells = ElementsOf<R, T>(ctx, kCs);
    const auto peephole = [&](int i, int64_t gate, const T* first,
                              const T* rest) -> RowSum<T> {
      return {l.cell, d + gate, row, first, rest, R::template Write<T>(out[i])};
    };
    return recurrence_.template SumRows<T>(
        ctx, rows, l.batch,
        {bias, peephole(kWciGrad, 0, before, cells),
         peephole(kWcfGrad, l.ForgetGate(), before, cells),
         peephole(kWcoGrad, l.OutputGate(), cells, cells + l.batch * l.cell)});
  }

  LstmLayer layer_;
  R recurrence_;
};

}  // namespace millrace::ops::block_lstm_grad

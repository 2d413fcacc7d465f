// Kernel of the gradients of LSTM layers over all time steps, for a recurrence
// R (recurrence.h). Products that do not depend on the step behind are computed
// for all steps at once.
#pragma once

#include <utility>

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

// The gradients of the gates' sums of all steps, and the outputs that went into
// each step.
struct BlockLstmTemps {
  Tensor dgates, h_before;
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
    for (const int i : {kFirstCells, kFirstOutputs}) {
      MR_RETURN_IF_ERROR(ExpectShape(ctx, i, kNames[i - kSteps],
                                     TensorShape({l->batch, l->cell})));
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
    for (int i = 0; i < 8; ++i) {
      MR_ASSIGN_OR_RETURN(out[i],
                          ctx.AllocateOutput(i, ctx.input(kSteps + i).shape()));
      MR_RETURN_IF_ERROR(recurrence_.Zero(ctx, R::template Write<T>(out[i]),
                                          out[i]->num_elements()));
    }
    if (length == 0 || l.batch == 0 || l.cell == 0) return OkStatus();
    BlockLstmTemps temps;
    MR_ASSIGN_OR_RETURN(temps.dgates, TempOfSteps(ctx, DataTypeOf<T>, length,
                                                  l.batch, 4 * l.cell));
    MR_ASSIGN_OR_RETURN(temps.h_before, TempOfSteps(ctx, DataTypeOf<T>, length,
                                                    l.batch, l.cell));
    MR_RETURN_IF_ERROR(RunSteps<T>(ctx, l, length, &temps, out));
    MR_RETURN_IF_ERROR(RunProducts<T>(ctx, l, length, &temps, out));
    return RunSums<T>(ctx, l, length, temps, out);
  }

  // Computes the gradients of the gates' sums, of cs_prev and of h_prev.
  template <class T>
  Status RunSteps(KernelContext& ctx, const LstmLayer& l, int64_t length,
                  BlockLstmTemps* temps, Tensor** out) const {
    const int64_t step = l.batch * l.cell;
    const auto at = [&](int i, int64_t t) {
      return ElementsOf<R, T>(ctx, i) + t * step;
    };
    const T* const w_h = ElementsOf<R, T>(ctx, kWeights) + l.input * 4 * l.cell;
    T* const cs_grad = R::template Write<T>(out[kCsPrevGrad]);
    T* const h_grad = R::template Write<T>(out[kHPrevGrad]);
    T* const dgates = R::template Write<T>(&temps->dgates);
    const MatrixProblem p{.type = DataTypeOf<T>,
                          .m = l.batch,
                          .k = 4 * l.cell,
                          .n = l.cell,
                          .transpose_b = true};
    for (int64_t t = length - 1; t >= 0; --t) {
      MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      const T* const cs_prev =
          t == 0 ? ElementsOf<R, T>(ctx, kFirstCells) : at(kCs, t - 1);
      T* const d = dgates + t * 4 * step;
      // The gradients that later steps gave are still in the outputs.
      const LstmStepGradient<T> in{at(kI, t),     at(kF, t),  at(kO, t),
                                   at(kCi, t),    at(kCo, t), at(kCsGrad, t),
                                   at(kHGrad, t), cs_grad,    h_grad};
      MR_RETURN_IF_ERROR(recurrence_.template StepBack<T>(
          ctx, l, in, LayerPeepholes<R, T>(ctx), cs_prev, d, cs_grad));
      MR_RETURN_IF_ERROR(recurrence_.Product(ctx, p, d, w_h, h_grad));
    }
    return OkStatus();
  }

  // Computes the gradients of x and w.
  template <class T>
  Status RunProducts(KernelContext& ctx, const LstmLayer& l, int64_t length,
                     BlockLstmTemps* temps, Tensor** out) const {
    const int64_t step = l.batch * l.cell, rows = length * l.batch;
    T* const before = R::template Write<T>(&temps->h_before);
    const T* const dgates = R::template Read<T>(temps->dgates);
    MR_RETURN_IF_ERROR(recurrence_.Copy(
        ctx, before, ElementsOf<R, T>(ctx, kFirstOutputs), step));
    MR_RETURN_IF_ERROR(recurrence_.Copy(
        ctx, before + step, ElementsOf<R, T>(ctx, kH), (length - 1) * step));
    MatrixProblem p{.type = DataTypeOf<T>,
                    .m = rows,
                    .k = 4 * l.cell,
                    .n = l.input,
                    .transpose_b = true};
    MR_RETURN_IF_ERROR(recurrence_.Product(ctx, p, dgates,
                                           ElementsOf<R, T>(ctx, kWeights),
                                           R::template Write<T>(out[kXGrad])));
    p = {.type = DataTypeOf<T>,
         .m = l.input,
         .k = rows,
         .n = 4 * l.cell,
         .transpose_a = true};
    T* const w_grad = R::template Write<T>(out[kWGrad]);
    MR_RETURN_IF_ERROR(recurrence_.Product(
        ctx, p, ElementsOf<R, T>(ctx, kSteps), dgates, w_grad));
    p.m = l.cell;
    return recurrence_.Product(ctx, p, before, dgates,
                               w_grad + l.input * 4 * l.cell);
  }

  // Computes the gradients of the bias and of the peepholes.
  template <class T>
  Status RunSums(KernelContext& ctx, const LstmLayer& l, int64_t length,
                 const BlockLstmTemps& temps, Tensor** out) const {
    MR_ASSIGN_OR_RETURN(
        Tensor sums,
        ctx.AllocateTemp(DataType::kFloat, TensorShape({4 * l.cell})));
    float* const s = R::template Write<float>(&sums);
    const T* const d = R::template Read<T>(temps.dgates);
    const int64_t rows = length * l.batch, step = l.batch * l.cell;
    const auto store = [&](int i) {
      return recurrence_.Round(ctx, s, out[i]->num_elements(),
                               R::template Write<T>(out[i]));
    };
    MR_RETURN_IF_ERROR(recurrence_.Zero(ctx, s, 4 * l.cell));
    MR_RETURN_IF_ERROR(recurrence_.template AddSums<T>(ctx, rows, 4 * l.cell,
                                                       {d, 4 * l.cell}, {}, s));
    MR_RETURN_IF_ERROR(store(kBGrad));
    if (!l.use_peephole) return OkStatus();
    const T* const first = ElementsOf<R, T>(ctx, kFirstCells);
    const T* const cells = ElementsOf<R, T>(ctx, kCs);
    const auto add = [&](int64_t gate, int64_t from, int64_t steps,
                         const T* values) {
      return recurrence_.template AddSums<T>(
          ctx, steps * l.batch, l.cell,
          {d + from * 4 * step + gate, 4 * l.cell}, {values, l.cell}, s);
    };
    const std::pair<int, int64_t> before[] = {{kWciGrad, 0},
                                              {kWcfGrad, l.ForgetGate()}};
    for (const auto& [result, gate] : before) {
      MR_RETURN_IF_ERROR(recurrence_.Zero(ctx, s, l.cell));
      MR_RETURN_IF_ERROR(add(gate, 0, 1, first));
      MR_RETURN_IF_ERROR(add(gate, 1, length - 1, cells));
      MR_RETURN_IF_ERROR(store(result));
    }
    MR_RETURN_IF_ERROR(recurrence_.Zero(ctx, s, l.cell));
    MR_RETURN_IF_ERROR(add(l.OutputGate(), 0, length, cells));
    return store(kWcoGrad);
  }

  LstmLayer layer_;
  R recurrence_;
};

}  // namespace millrace::ops::block_lstm_grad

// Kernel of LSTM layers over all time steps, for a recurrence R (recurrence.h).
// The products of x with the weights are computed for all steps at once.
#pragma once

#include "millrace/ops/recurrent/block_lstm.h"
#include "millrace/ops/recurrent/recurrence.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

template <class R, GateOrder kOrder>
class BlockLstmKernel {
 public:
  static StatusOr<BlockLstmKernel> Make(const KernelInit& init) {
    BlockLstmKernel k;
    MR_ASSIGN_OR_RETURN(k.recurrence_, R::Make(init));
    k.layer_.order = kOrder;
    if (init.HasAttr("forget_bias")) {
      MR_ASSIGN_OR_RETURN(k.layer_.forget_bias,
                          init.Attr<float>("forget_bias"));
    }
    MR_ASSIGN_OR_RETURN(k.layer_.cell_clip, init.Attr<float>("cell_clip"));
    MR_ASSIGN_OR_RETURN(k.layer_.use_peephole, init.Attr<bool>("use_peephole"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    LstmLayer l = layer_;
    MR_RETURN_IF_ERROR(Resolve(ctx, &l));
    const int64_t time = ctx.input(kSteps).dim(0);
    MR_ASSIGN_OR_RETURN(const int64_t length, SequenceLength(ctx, time));
    return Dispatch<float, Half>(
        ctx.input_type(kSteps),
        [&]<class T>() -> Status { return RunTyped<T>(ctx, l, time, length); });
  }

 private:
  // Checks shapes and sets the layer's sizes.
  static Status Resolve(const KernelContext& ctx, LstmLayer* l) {
    MR_RETURN_IF_ERROR(ExpectSequenceScalar(ctx));
    const auto expect_rank = [&](int i, int rank, const char* name) -> Status {
      if (ctx.input(i).rank() == rank) return OkStatus();
      return InvalidArgument(name, " must be ", rank, "D");
    };
    const auto dim = [&](int i, int d) { return ctx.input(i).dim(d); };
    MR_RETURN_IF_ERROR(expect_rank(kSteps, 3, "x"));
    l->batch = dim(kSteps, 1);
    l->input = dim(kSteps, 2);
    MR_RETURN_IF_ERROR(expect_rank(kFirstCells, 2, "cs_prev"));
    MR_RETURN_IF_ERROR(ExpectSize(dim(kFirstCells, 0), l->batch,
                                  "cs_prev.dims(0) != batch_size"));
    l->cell = dim(kFirstCells, 1);
    MR_RETURN_IF_ERROR(expect_rank(kFirstOutputs, 2, "h_prev"));
    MR_RETURN_IF_ERROR(ExpectSize(dim(kFirstOutputs, 0), l->batch,
                                  "h_prev.dims(0) != batch_size"));
    MR_RETURN_IF_ERROR(ExpectSize(dim(kFirstOutputs, 1), l->cell,
                                  "h_prev.dims(1) != cell_size"));
    MR_RETURN_IF_ERROR(expect_rank(kWeights, 2, "w"));
    MR_RETURN_IF_ERROR(ExpectSize(dim(kWeights, 0), l->input + l->cell,
                                  "w.dim_size(0) != input_size + cell_size"));
    MR_RETURN_IF_ERROR(ExpectSize(dim(kWeights, 1), l->cell * 4,
                                  "w.dim_size(1) != cell_size * 4"));
    MR_RETURN_IF_ERROR(expect_rank(kCellToInput, 1, "wci"));
    MR_RETURN_IF_ERROR(ExpectSize(dim(kCellToInput, 0), l->cell,
                                  "wci.dim_size(0) != cell_size"));
    MR_RETURN_IF_ERROR(expect_rank(kCellToForget, 1, "wcf"));
    MR_RETURN_IF_ERROR(ExpectSize(dim(kCellToForget, 0), l->cell,
                                  "wcf.dim_size(0) != cell_size"));
    MR_RETURN_IF_ERROR(expect_rank(kCellToOutput, 1, "wco"));
    MR_RETURN_IF_ERROR(ExpectSize(dim(kCellToOutput, 0), l->cell,
                                  "wco.dim_size(0) != cell_size"));
    MR_RETURN_IF_ERROR(expect_rank(kBias, 1, "b"));
    return ExpectSize(dim(kBias, 0), l->cell * 4,
                      "b.dim_size(0) != cell_size * 4");
  }

  template <class T>
  Status RunTyped(KernelContext& ctx, const LstmLayer& l, int64_t time,
                  int64_t length) const {
    MR_ASSIGN_OR_RETURN(const TensorShape shape,
                        TensorShape::Make({time, l.batch, l.cell}));
    const int64_t step = l.batch * l.cell;
    T* outputs[7];
    for (int i = 0; i < 7; ++i) {
      MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(i, shape));
      outputs[i] = R::template Write<T>(out);
      MR_RETURN_IF_ERROR(recurrence_.Zero(ctx, outputs[i] + length * step,
                                          (time - length) * step));
    }
    if (length == 0 || step == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(Tensor from_x, TempOfSteps(ctx, DataTypeOf<T>, length,
                                                   l.batch, 4 * l.cell));
    MR_ASSIGN_OR_RETURN(
        Tensor from_h, TempOfSteps(ctx, DataTypeOf<T>, 1, l.batch, 4 * l.cell));
    const T* const w = ElementsOf<R, T>(ctx, kWeights);
    MatrixProblem p{.type = DataTypeOf<T>,
                    .m = length * l.batch,
                    .k = l.input,
                    .n = 4 * l.cell};
    MR_RETURN_IF_ERROR(recurrence_.Product(ctx, p,
                                           ElementsOf<R, T>(ctx, kSteps), w,
                                           R::template Write<T>(&from_x)));
    p.m = l.batch;
    p.k = l.cell;
    const T* const w_h = w + l.input * 4 * l.cell;
    const T* cs_prev = ElementsOf<R, T>(ctx, kFirstCells);
    const T* h_prev = ElementsOf<R, T>(ctx, kFirstOutputs);
    GateSums<T> sums{R::template Read<T>(from_x), R::template Read<T>(from_h),
                     ElementsOf<R, T>(ctx, kBias)};
    const Peepholes<T> peepholes = LayerPeepholes<R, T>(ctx);
    for (int64_t t = 0; t < length; ++t) {
      MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      MR_RETURN_IF_ERROR(recurrence_.Product(ctx, p, h_prev, w_h,
                                             R::template Write<T>(&from_h)));
      const auto at = [&](int i) { return outputs[i] + t * step; };
      MR_RETURN_IF_ERROR(recurrence_.template Step<T>(
          ctx, l, sums, peepholes, cs_prev,
          {at(0), at(1), at(2), at(3), at(4), at(5), at(6)}));
      cs_prev = at(1);
      h_prev = at(6);
      sums.from_x += 4 * step;
    }
    return OkStatus();
  }

  LstmLayer layer_;
  R recurrence_;
};

}  // namespace millrace::ops

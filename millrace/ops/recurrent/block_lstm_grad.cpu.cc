// Gradients of LSTM layers over all time steps. Products that do not depend on
// the step behind are computed for all steps at once.
#include <algorithm>
#include <cstring>
#include <utility>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/recurrent/block_lstm.h"
#include "millrace/ops/recurrent/column_sums.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

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

template <GateOrder kOrder>
class BlockLstmGradKernel {
 public:
  static StatusOr<BlockLstmGradKernel> Make(const KernelInit& init) {
    BlockLstmGradKernel k;
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
      MR_RETURN_IF_ERROR(ZeroTensor(ctx, out[i]));
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
      return ElementsOf<T>(ctx, i) + t * step;
    };
    const T* const w_h = ElementsOf<T>(ctx, kWeights) + l.input * 4 * l.cell;
    T* const cs_grad = out[kCsPrevGrad]->mutable_flat<T>().data();
    T* const h_grad = out[kHPrevGrad]->mutable_flat<T>().data();
    T* const dgates = temps->dgates.mutable_flat<T>().data();
    const MatrixProblem p{.type = DataTypeOf<T>,
                          .m = l.batch,
                          .k = 4 * l.cell,
                          .n = l.cell,
                          .transpose_b = true};
    for (int64_t t = length - 1; t >= 0; --t) {
      MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      const T* const cs_prev =
          t == 0 ? ElementsOf<T>(ctx, kFirstCells) : at(kCs, t - 1);
      T* const d = dgates + t * 4 * step;
      // The gradients that later steps gave are still in the outputs.
      const LstmStepGradient<T> in{at(kI, t),     at(kF, t),  at(kO, t),
                                   at(kCi, t),    at(kCo, t), at(kCsGrad, t),
                                   at(kHGrad, t), cs_grad,    h_grad};
      MR_RETURN_IF_ERROR(RunLstmStepBack<T>(ctx, l, in, LayerPeepholes<T>(ctx),
                                            cs_prev, d, cs_grad));
      MR_RETURN_IF_ERROR(ProductOrZero(ctx, product_, p, BytesOf(d),
                                       BytesOf(w_h),
                                       out[kHPrevGrad]->mutable_data()));
    }
    return OkStatus();
  }

  // Computes the gradients of x and w.
  template <class T>
  Status RunProducts(KernelContext& ctx, const LstmLayer& l, int64_t length,
                     BlockLstmTemps* temps, Tensor** out) const {
    const int64_t step = l.batch * l.cell, rows = length * l.batch;
    T* const before = temps->h_before.mutable_flat<T>().data();
    std::memcpy(static_cast<void*>(before), ElementsOf<T>(ctx, kFirstOutputs),
                static_cast<size_t>(step) * sizeof(T));
    std::memcpy(static_cast<void*>(before + step), ElementsOf<T>(ctx, kH),
                static_cast<size_t>((length - 1) * step) * sizeof(T));
    MatrixProblem p{.type = DataTypeOf<T>,
                    .m = rows,
                    .k = 4 * l.cell,
                    .n = l.input,
                    .transpose_b = true};
    MR_RETURN_IF_ERROR(ProductOrZero(ctx, product_, p, temps->dgates.data(),
                                     ctx.input(kWeights).data(),
                                     out[kXGrad]->mutable_data()));
    p = {.type = DataTypeOf<T>,
         .m = l.input,
         .k = rows,
         .n = 4 * l.cell,
         .transpose_a = true};
    T* const w_grad = out[kWGrad]->mutable_flat<T>().data();
    MR_RETURN_IF_ERROR(ProductOrZero(ctx, product_, p, ctx.input(kSteps).data(),
                                     temps->dgates.data(),
                                     reinterpret_cast<char*>(w_grad)));
    p.m = l.cell;
    T* const w_h_grad = w_grad + l.input * 4 * l.cell;
    return ProductOrZero(ctx, product_, p, BytesOf(before),
                         temps->dgates.data(),
                         reinterpret_cast<char*>(w_h_grad));
  }

  // Computes the gradients of the bias and of the peepholes.
  template <class T>
  Status RunSums(KernelContext& ctx, const LstmLayer& l, int64_t length,
                 const BlockLstmTemps& temps, Tensor** out) const {
    MR_ASSIGN_OR_RETURN(
        Tensor sums,
        ctx.AllocateTemp(DataType::kFloat, TensorShape({4 * l.cell})));
    const auto s = sums.mutable_flat<float>();
    const T* const d = temps.dgates.flat<T>().data();
    const int64_t rows = length * l.batch, step = l.batch * l.cell;
    const auto store = [&](int i) {
      const auto z = out[i]->mutable_flat<T>();
      for (size_t c = 0; c < z.size(); ++c) z[c] = static_cast<T>(s[c]);
    };
    std::fill(s.begin(), s.end(), 0.0f);
    MR_RETURN_IF_ERROR(
        AddColumnSums<T>(ctx, rows, 4 * l.cell, {d, 4 * l.cell}, {}, s.data()));
    store(kBGrad);
    if (!l.use_peephole) return OkStatus();
    const T* const first = ElementsOf<T>(ctx, kFirstCells);
    const T* const cells = ElementsOf<T>(ctx, kCs);
    const auto add = [&](int64_t gate, int64_t from, int64_t steps,
                         const T* values) {
      return AddColumnSums<T>(ctx, steps * l.batch, l.cell,
                              {d + from * 4 * step + gate, 4 * l.cell},
                              {values, l.cell}, s.data());
    };
    const std::pair<int, int64_t> before[] = {{kWciGrad, 0},
                                              {kWcfGrad, l.ForgetGate()}};
    for (const auto& [result, gate] : before) {
      std::fill(s.begin(), s.end(), 0.0f);
      MR_RETURN_IF_ERROR(add(gate, 0, 1, first));
      MR_RETURN_IF_ERROR(add(gate, 1, length - 1, cells));
      store(result);
    }
    std::fill(s.begin(), s.end(), 0.0f);
    MR_RETURN_IF_ERROR(add(l.OutputGate(), 0, length, cells));
    store(kWcoGrad);
    return OkStatus();
  }

  LstmLayer layer_;
  MatrixProduct product_;
};

using enum GateOrder;

}  // namespace

MR_KERNELS(BlockLSTMGrad,
           Cpu){{.types = "T: float, half",
                 .make = MakeKernel<BlockLstmGradKernel<kCellBeforeForget>>,
                 .host = "seq_len_max"}};
MR_KERNELS(BlockLSTMGradV2,
           Cpu){{.types = "T: float, half",
                 .make = MakeKernel<BlockLstmGradKernel<kForgetBeforeCell>>,
                 .host = "seq_len_max"}};

}  // namespace millrace::ops

#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status BlockLstmShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape x, c.WithRank(1, 3));
  MR_ASSIGN_OR_RETURN(const PartialShape b, c.WithRank(8, 1));
  MR_ASSIGN_OR_RETURN(const int64_t cell,
                      ShapeContext::DivideDims(b.dim(0), 4));
  for (int i = 0; i < 7; ++i) {
    c.set_output(i, PartialShape({x.dim(0), x.dim(1), cell}));
  }
  return OkStatus();
}

// The gradients have the shapes of inputs 1 to 8.
Status BlockLstmGradShape(ShapeContext& c) {
  constexpr int kRanks[] = {3, 2, 2, 2, 1, 1, 1, 1};
  for (int i = 0; i < 8; ++i) {
    MR_ASSIGN_OR_RETURN(PartialShape shape, c.WithRank(i + 1, kRanks[i]));
    c.set_output(i, std::move(shape));
  }
  return OkStatus();
}

}  // namespace

#define MR_BLOCK_LSTM_INPUTS                                                \
  "seq_len_max: int64, x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, " \
  "wco: T, b: T"
#define MR_BLOCK_LSTM_OUTPUTS "i: T, cs: T, f: T, o: T, ci: T, co: T, h: T"
#define MR_BLOCK_LSTM_GRADIENTS                                          \
  "x_grad: T, cs_prev_grad: T, h_prev_grad: T, w_grad: T, wci_grad: T, " \
  "wcf_grad: T, wco_grad: T, b_grad: T"

MR_OP(BlockLSTM){
    .inputs = MR_BLOCK_LSTM_INPUTS,
    .outputs = MR_BLOCK_LSTM_OUTPUTS,
    .attrs =
        "forget_bias: float = 1.0; cell_clip: float = 3.0; use_peephole: bool "
        "= false; T: {half, float}",
    .shape = BlockLstmShape,
    .doc =
        "LSTMBlockCell for the first seq_len_max steps of x, [time, batch, "
        "input]; the results of later steps are zero.",
};
MR_OP(BlockLSTMV2){
    .inputs = MR_BLOCK_LSTM_INPUTS,
    .outputs = MR_BLOCK_LSTM_OUTPUTS,
    .attrs =
        "cell_clip: float = 0.0; use_peephole: bool = false; T: {half, float}",
    .shape = BlockLstmShape,
    .doc =
        "BlockLSTM without a bias of its own, whose columns of w and b are "
        "those of the input gate, the forget gate, the cell input and the "
        "output gate.",
};
MR_OP(BlockLSTMGrad){
    .inputs = MR_BLOCK_LSTM_INPUTS ", " MR_BLOCK_LSTM_OUTPUTS
                                   ", cs_grad: T, h_grad: T",
    .outputs = MR_BLOCK_LSTM_GRADIENTS,
    .attrs = "use_peephole: bool; T: {half, float}",
    .shape = BlockLstmGradShape,
    .doc = "The gradient of BlockLSTM.",
};
MR_OP(BlockLSTMGradV2){
    .inputs = MR_BLOCK_LSTM_INPUTS ", " MR_BLOCK_LSTM_OUTPUTS
                                   ", cs_grad: T, h_grad: T",
    .outputs = MR_BLOCK_LSTM_GRADIENTS,
    .attrs = "use_peephole: bool; T: {half, float}",
    .shape = BlockLstmGradShape,
    .doc = "The gradient of BlockLSTMV2.",
};

}  // namespace millrace::ops

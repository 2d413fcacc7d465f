#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// Returns [batch, cell] as far as x and cs_prev tell.
StatusOr<PartialShape> LstmCellShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape x, c.WithRank(0, 2));
  MR_ASSIGN_OR_RETURN(const PartialShape cs_prev, c.WithRank(1, 2));
  return PartialShape({x.dim(0), cs_prev.dim(1)});
}

}  // namespace

MR_OP(LSTMBlockCell){
    .inputs = "x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T",
    .outputs = "i: T, cs: T, f: T, o: T, ci: T, co: T, h: T",
    .attrs =
        "forget_bias: float = 1.0; cell_clip: float = 3.0; use_peephole: bool "
        "= false; T: {half, float}",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(const PartialShape shape, LstmCellShape(c));
      for (int i = 0; i < 7; ++i) c.set_output(i, shape);
      return OkStatus();
    },
    .doc =
        "One time step of an LSTM layer. The columns of w and b are those of "
        "the input gate, the cell input, the forget gate and the output gate; "
        "the rows of w are those of x, then those of h_prev.",
};
MR_OP(LSTMBlockCellGrad){
    .inputs =
        "x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T, i: "
        "T, cs: T, f: T, o: T, ci: T, co: T, cs_grad: T, h_grad: T",
    .outputs =
        "cs_prev_grad: T, dicfo: T, wci_grad: T, wcf_grad: T, wco_grad: T",
    .attrs = "use_peephole: bool; T: {half, float}",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(const PartialShape shape, LstmCellShape(c));
      MR_ASSIGN_OR_RETURN(const int64_t gates,
                          ShapeContext::MultiplyDims(shape.dim(1), 4));
      c.set_output(0, shape);
      c.set_output(1, PartialShape({shape.dim(0), gates}));
      for (int i = 2; i < 5; ++i) {
        // Nobody checks the size of a peephole that the cells do not fit.
        const auto own = ShapeContext::MergeShapes(
            c.input(i + 2), PartialShape({shape.dim(1)}));
        c.set_output(i, own.ok() ? *own : c.input(i + 2));
      }
      return OkStatus();
    },
    .doc =
        "The gradient of LSTMBlockCell: that of the gates before activation "
        "is dicfo.",
};

}  // namespace millrace::ops

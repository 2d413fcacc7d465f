#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// Returns [batch, cell] as far as x and h_prev tell.
StatusOr<PartialShape> GruCellShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape x, c.WithRank(0, 2));
  MR_ASSIGN_OR_RETURN(const PartialShape h_prev, c.WithRank(1, 2));
  return PartialShape({x.dim(0), h_prev.dim(1)});
}

}  // namespace

MR_OP(GRUBlockCell){
    .inputs = "x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T",
    .outputs = "r: T, u: T, c: T, h: T",
    .attrs = "T: {float}",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(const PartialShape shape, GruCellShape(c));
      for (int i = 0; i < 4; ++i) c.set_output(i, shape);
      return OkStatus();
    },
    .doc =
        "One time step of a GRU layer: the reset gate r, the update gate u, "
        "the candidate c of [x, r h_prev], and h = u h_prev + (1 - u) c.",
};
MR_OP(GRUBlockCellGrad){
    .inputs =
        "x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T, r: T, u: T, c: T, "
        "d_h: T",
    .outputs = "d_x: T, d_h_prev: T, d_c_bar: T, d_r_bar_u_bar: T",
    .attrs = "T: {float}",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(const PartialShape shape, GruCellShape(c));
      MR_ASSIGN_OR_RETURN(const PartialShape w_ru, c.WithRank(2, 2));
      MR_ASSIGN_OR_RETURN(PartialShape x, c.WithRank(0, 2));
      c.set_output(0, std::move(x));
      c.set_output(1, shape);
      c.set_output(2, shape);
      c.set_output(3, PartialShape({shape.dim(0), w_ru.dim(1)}));
      return OkStatus();
    },
    .doc =
        "The gradient of GRUBlockCell: those of the gates and the candidate "
        "are the ones before activation.",
};

}  // namespace millrace::ops

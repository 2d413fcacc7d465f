#include "millrace/graph/int_rules.h"
#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

Status SliceShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape begin_shape, c.WithRank(1, 1));
  MR_ASSIGN_OR_RETURN(PartialShape size_shape, c.WithRank(2, 1));
  MR_ASSIGN_OR_RETURN(
      int64_t count,
      ShapeContext::MergeDims(begin_shape.dim(0), size_shape.dim(0)));
  PartialShape in = c.input(0);
  if (count > kMaxRank)
    return InvalidArgument("begin and size have ", count, " elements");
  if (count != kUnknownDim) {
    MR_ASSIGN_OR_RETURN(in,
                        ShapeContext::WithRank(in, static_cast<int>(count)));
  }
  if (!in.known_rank()) return c.Return({});
  PartialShape out = PartialShape::UnknownOfRank(in.rank());
  const Tensor* begin = c.input_value(1);
  const Tensor* size = c.input_value(2);
  if (begin && begin->num_elements() != in.rank())
    begin = nullptr;  // count is still unknown
  if (!size) {
    MR_ASSIGN_OR_RETURN(PartialShape known, c.ShapeFromInput(2));
    if (known.known_rank()) {
      MR_ASSIGN_OR_RETURN(out, ShapeContext::WithRank(known, in.rank()));
    }
    return c.Return(std::move(out));
  }
  // Where only some of the begin are known, as [step, 0, 0].
  PartialShape begins = PartialShape::UnknownOfRank(in.rank());
  if (begin) {
    for (int i = 0; i < in.rank(); ++i)
      if (IntAt(*begin, i) >= 0) begins.set_dim(i, IntAt(*begin, i));
  } else if (!c.input_value(1)) {
    MR_ASSIGN_OR_RETURN(PartialShape known, c.ShapeFromInput(1));
    if (known.known_rank() && known.rank() == in.rank()) begins = known;
  }
  for (int i = 0; i < in.rank() && i < size->num_elements(); ++i) {
    const int64_t n = IntAt(*size, i);
    if (n < -1) {
      return InvalidArgument("Out of bounds slicing on dimension ", i,
                             " of length ", in.dim(i),
                             ": sizes vector cannot be < -1, but was ", n);
    }
    if (n != -1) {
      out.set_dim(i, n);
    } else if (begins.dim(i) != kUnknownDim) {
      MR_ASSIGN_OR_RETURN(int64_t rest, DimMinus(in.dim(i), begins.dim(i)));
      out.set_dim(i, rest);
    }
  }
  return c.Return(std::move(out));
}

}  // namespace

MR_OP(Slice){
    .inputs = "input: T, begin: Index, size: Index",
    .outputs = "output: T",
    .attrs = "T: type; Index: {int32, int64}",
    .shape = SliceShape,
    .ints = int_rules::Slice,
    .doc =
        "The block of `input` that starts at `begin` and has `size` elements "
        "in each dimension; "
        "-1 means all that are left.",
};

}  // namespace millrace::ops

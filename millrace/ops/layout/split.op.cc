#include "absl/strings/str_join.h"
#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

// Returns input i as a dimension of a shape of `rank` dimensions (-1: unknown);
// it may count from the end. Returns kUnknownDim if it is not known.
StatusOr<int64_t> AxisInput(ShapeContext& c, int i, int rank) {
  MR_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  const Tensor* t = c.input_value(i);
  if (!t) return kUnknownDim;
  const int64_t axis = IntAt(*t, 0);
  if (axis >= 0) return axis;
  if (rank < 0) return kUnknownDim;
  if (axis + rank < 0) {
    return InvalidArgument("Dimension size, given by scalar input ", axis,
                           " must be in range [-", rank, ", ", rank, ")");
  }
  return axis + rank;
}

Status SetAll(ShapeContext& c, const PartialShape& s) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, s);
  return OkStatus();
}

PartialShape UnknownLike(const PartialShape& s) {
  return s.known_rank() ? PartialShape::UnknownOfRank(s.rank())
                        : PartialShape();
}

Status SplitShape(ShapeContext& c) {
  const PartialShape& in = c.input(1);
  MR_ASSIGN_OR_RETURN(int64_t axis, AxisInput(c, 0, in.rank()));
  if (axis == kUnknownDim || !in.known_rank())
    return SetAll(c, UnknownLike(in));
  if (axis >= kMaxRank)
    return InvalidArgument("Split dimension ", axis, " is out of range");
  const int at = static_cast<int>(axis);
  MR_ASSIGN_OR_RETURN(PartialShape out, c.WithRankAtLeast(1, at + 1));
  MR_ASSIGN_OR_RETURN(int64_t size,
                      ShapeContext::DivideDims(out.dim(at), c.num_outputs()));
  out.set_dim(at, size);
  return SetAll(c, out);
}

Status SplitVShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  if (in.rank() == 0) return InvalidArgument("Can't split scalars");
  MR_ASSIGN_OR_RETURN(int64_t axis, AxisInput(c, 2, in.rank()));
  if (axis == kUnknownDim || !in.known_rank())
    return SetAll(c, UnknownLike(in));
  if (axis >= kMaxRank)
    return InvalidArgument("Split dimension ", axis, " is out of range");
  const int at = static_cast<int>(axis);
  MR_ASSIGN_OR_RETURN(PartialShape out, c.WithRankAtLeast(0, at + 1));
  const int64_t size = out.dim(at);
  const Tensor* splits = c.input_value(1);
  if (!splits) {
    // A single output is the whole input.
    if (c.num_outputs() > 1) out.set_dim(at, kUnknownDim);
    return SetAll(c, out);
  }
  if (splits->num_elements() != c.num_outputs()) {
    return InvalidArgument(
        "Length of size_splits should be equal to num_outputs");
  }
  std::vector<int64_t> pieces;
  int64_t total = 0;
  int rest = -1;
  for (int i = 0; i < c.num_outputs(); ++i) {
    pieces.push_back(IntAt(*splits, i));
    if (pieces[i] == -1) {
      if (rest >= 0) return InvalidArgument("size_splits can only have one -1");
      rest = i;
    } else if (pieces[i] < 0) {
      return InvalidArgument("Split size at index ", i,
                             " must be >= 0. Got: ", pieces[i]);
    } else if (__builtin_add_overflow(total, pieces[i], &total)) {
      return InvalidArgument("The sum of size_splits overflows");
    }
  }
  if (size != kUnknownDim && (rest >= 0 ? total > size : total != size)) {
    return InvalidArgument("can't split axis of size ", size,
                           " into pieces of size [", absl::StrJoin(pieces, ","),
                           "]");
  }
  if (rest >= 0)
    pieces[rest] = size == kUnknownDim ? kUnknownDim : size - total;
  for (int i = 0; i < c.num_outputs(); ++i) {
    out.set_dim(at, pieces[i]);
    c.set_output(i, out);
  }
  return OkStatus();
}

}  // namespace

MR_OP(Split){
    .inputs = "split_dim: int32, value: T",
    .outputs = "output: num_split * T",
    .attrs = "num_split: int >= 1; T: type",
    .shape = SplitShape,
    .doc =
        "Cuts `value` into `num_split` equal pieces along dimension "
        "`split_dim`.",
};

MR_OP(SplitV){
    .inputs = "value: T, size_splits: Tlen, split_dim: int32",
    .outputs = "output: num_split * T",
    .attrs =
        R"(num_split: int >= 1; T: type; Tlen: {int8, int32, int64} = "int64")",
    .shape = SplitVShape,
    .doc =
        "Cuts `value` into pieces of the given sizes along dimension "
        "`split_dim`; one size may "
        "be -1 for what the others leave.",
};

}  // namespace millrace::ops

#include "millrace/ops/array/reshape.op.h"
#include "millrace/graph/int_rules.h"

#include <algorithm>
#include <set>

#include "absl/container/inlined_vector.h"
#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

// The product of the known sizes, and the position of the only unknown one (-1:
// none, -2: several).
struct Sizes {
  int64_t product = 1;
  int unknown = -1;
};

StatusOr<Sizes> CountSizes(const PartialShape& s) {
  Sizes n;
  for (int i = 0; i < s.rank(); ++i) {
    if (s.dim(i) == kUnknownDim) {
      n.unknown = n.unknown == -1 ? i : -2;
    } else {
      MR_ASSIGN_OR_RETURN(n.product,
                          ShapeContext::MultiplyDims(n.product, s.dim(i)));
    }
  }
  return n;
}

}  // namespace

Status ReshapeShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape out, c.ShapeFromInput(1));
  const PartialShape& in = c.input(0);
  c.set_output_handles(0, c.input_handles(0));
  if (!out.known_rank() || !in.known_rank()) return c.Return(std::move(out));
  MR_ASSIGN_OR_RETURN(Sizes out_sizes, CountSizes(out));
  MR_ASSIGN_OR_RETURN(Sizes in_sizes, CountSizes(in));
  if (out_sizes.unknown == -1 && in_sizes.unknown == -1) {
    if (out_sizes.product != in_sizes.product) {
      return InvalidArgument("Cannot reshape a tensor with ", in_sizes.product,
                             " elements to shape ", out.DebugString(), " (",
                             out_sizes.product, " elements)");
    }
  } else if (in_sizes.unknown == -1 && in_sizes.product != 0 &&
             out_sizes.product == 0) {
    return InvalidArgument("Cannot reshape a tensor with ", in_sizes.product,
                           " elements to shape ", out.DebugString(),
                           " (0 elements)");
  } else if (in_sizes.unknown == -1 && out_sizes.unknown >= 0 &&
             out_sizes.product > 0) {
    MR_ASSIGN_OR_RETURN(
        int64_t missing,
        ShapeContext::DivideDims(in_sizes.product, out_sizes.product));
    out.set_dim(out_sizes.unknown, missing);
  } else if (in_sizes.unknown >= 0 && out_sizes.unknown == -1 &&
             in_sizes.product > 0) {
    MR_RETURN_IF_ERROR(
        ShapeContext::DivideDims(out_sizes.product, in_sizes.product).status());
  }
  return c.Return(std::move(out));
}

namespace {

Status ExpandDimsShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  c.set_output_handles(0, c.input_handles(0));
  const Tensor* dim = c.input_value(1);
  if (dim && dim->num_elements() != 1) {
    return InvalidArgument("'dim' input must be a tensor with a single value");
  }
  if (!in.known_rank()) return c.Return({});
  if (!dim) return c.Return(PartialShape::UnknownOfRank(in.rank() + 1));
  int64_t at = IntAt(*dim, 0);
  if (at < -1 - in.rank() || at > in.rank()) {
    return InvalidArgument("dim ", at, " not in the interval [", -1 - in.rank(),
                           ", ", in.rank(), "].");
  }
  if (at < 0) at += in.rank() + 1;
  const int place = static_cast<int>(at);
  return c.Return(Subshape(in, 0, place)
                      .Concatenate(PartialShape({1}))
                      .Concatenate(Subshape(in, place)));
}

Status SqueezeShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(AttrValue::IntList squeeze,
                      c.Attr<AttrValue::IntList>("squeeze_dims"));
  const PartialShape& in = c.input(0);
  if (!in.known_rank()) return c.Return({});
  const int rank = in.rank();
  std::set<int64_t> dims;
  for (size_t i = 0; i < squeeze.size(); ++i) {
    if (squeeze[i] < -rank || squeeze[i] >= rank) {
      return InvalidArgument("squeeze_dims[", i, "] not in [", -rank, ",", rank,
                             ").");
    }
    dims.insert(squeeze[i] < 0 ? squeeze[i] + rank : squeeze[i]);
  }
  DimVector out;
  for (int i = 0; i < rank; ++i) {
    const int64_t d = in.dim(i);
    if (!dims.empty()) {
      if (!dims.contains(i)) {
        out.push_back(d);
      } else if (d != kUnknownDim && d != 1) {
        return InvalidArgument("Can not squeeze dim[", i,
                               "], expected a dimension of 1, got ", d);
      }
    } else if (d == kUnknownDim) {
      return c.Return({});  // the dimension may be 1 or not
    } else if (d != 1) {
      out.push_back(d);
    }
  }
  return c.Return(PartialShape(absl::Span<const int64_t>(out)));
}

}  // namespace

MR_OP(Reshape){
    .inputs = "tensor: T, shape: Tshape",
    .outputs = "output: T",
    .attrs = R"(T: type; Tshape: {int32, int64} = "int32")",
    .shape = ReshapeShape,
    .ints = int_rules::Reshape,
    .doc =
        "The elements of `tensor` under another shape; one size may be -1 and "
        "follows from the "
        "others.",
};

MR_OP(ExpandDims){
    .inputs = "input: T, dim: Tdim",
    .outputs = "output: T",
    .attrs = R"(T: type; Tdim: {int32, int64} = "int32")",
    .shape = ExpandDimsShape,
    .ints = int_rules::ExpandDims,
    .doc =
        "Inserts a dimension of size 1 before dimension `dim` (-1: at the "
        "end).",
};

MR_OP(Squeeze){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: type; squeeze_dims: list(int) >= 0 = []",
    .shape = SqueezeShape,
    .ints = int_rules::Squeeze,
    .doc = "Removes dimensions of size 1: those of `squeeze_dims`, or all.",
};

MR_OP(EnsureShape){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "shape: shape; T: type",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(PartialShape shape, c.Attr<PartialShape>("shape"));
      MR_ASSIGN_OR_RETURN(PartialShape merged,
                          ShapeContext::MergeShapes(c.input(0), shape));
      return c.Return(std::move(merged));
    },
    .doc = "Passes `input` on, or fails if its shape contradicts `shape`.",
};

MR_OP(Bitcast){
    .inputs = "input: T",
    .outputs = "output: type",
    .attrs =
        "T: {bfloat16, half, float, double, int64, int32, uint8, uint16, "
        "uint32, uint64, int8, int16, complex64, complex128, qint8, quint8, "
        "qint16, quint16, qint32}; type: {bfloat16, half, float, double, "
        "int64, int32, uint8, uint16, uint32, uint64, int8, int16, complex64, "
        "complex128, qint8, quint8, qint16, quint16, qint32}",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(DataType from, c.Attr<DataType>("T"));
      MR_ASSIGN_OR_RETURN(DataType to, c.Attr<DataType>("type"));
      const int64_t from_size = static_cast<int64_t>(SizeOf(from));
      const int64_t to_size = static_cast<int64_t>(SizeOf(to));
      const PartialShape& in = c.input(0);
      if (!in.known_rank()) return c.Return({});
      if (from_size == to_size) return c.Return(in);
      if (from_size > to_size)
        return c.Return(in.Concatenate(VectorShape(from_size / to_size)));
      MR_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1).status());
      const int64_t last = ShapeContext::Dim(in, -1);
      if (last != kUnknownDim && last != to_size / from_size) {
        return InvalidArgument("Cannot bitcast from ", DataTypeName(from),
                               " to ", DataTypeName(to), " due to shape. ",
                               last, " does not match ", to_size / from_size);
      }
      return c.Return(Subshape(in, 0, -1));
    },
    .doc =
        "The same bytes as another type. If that is smaller, a dimension is "
        "added at the end; "
        "if it is larger, the last dimension is used up.",
};

}  // namespace millrace::ops

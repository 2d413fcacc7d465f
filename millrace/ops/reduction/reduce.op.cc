#include "absl/container/inlined_vector.h"
#include "millrace/graph/int_rules.h"
#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

constexpr char kReducedNumbers[] =
    "keep_dims: bool = false; T: {float, double, int32, uint8, int16, int8, "
    "complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, "
    "uint16, complex128, half, uint32, uint64}; Tidx: {int32, int64} = 'int32'";
constexpr char kReducedReal[] =
    "keep_dims: bool = false; T: {float, double, int32, uint8, int16, int8, "
    "int64, bfloat16, uint16, half, uint32, uint64, qint8, quint8, qint32, "
    "qint16, quint16}; Tidx: {int32, int64} = 'int32'";

// Sets output 0 to the shape without the reduced dimensions, or with ones in
// their place.
Status ReductionShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(bool keep_dims, c.Attr<bool>("keep_dims"));
  const PartialShape& x = c.input(0);
  const Tensor* axes = c.input_value(1);
  if (axes == nullptr) {
    if (keep_dims && x.known_rank()) {
      return c.Return(PartialShape::UnknownOfRank(x.rank()));
    }
    return c.Return(PartialShape());
  }
  if (!x.known_rank()) return c.Return(PartialShape());
  const int rank = x.rank();
  absl::InlinedVector<bool, 8> reduced(rank, false);
  for (int64_t i = 0; i < axes->num_elements(); ++i) {
    int64_t axis = axes->dtype() == DataType::kInt32 ? axes->flat<int32_t>()[i]
                                                     : axes->flat<int64_t>()[i];
    if (axis < -rank || axis >= rank) {
      return InvalidArgument("Invalid reduction dimension ", axis,
                             " for input with ", rank, " dimensions.");
    }
    reduced[axis < 0 ? axis + rank : axis] = true;
  }
  DimVector dims;
  for (int d = 0; d < rank; ++d) {
    if (!reduced[d]) dims.push_back(x.dim(d));
    if (reduced[d] && keep_dims) dims.push_back(1);
  }
  return c.Return(PartialShape(absl::MakeConstSpan(dims)));
}

}  // namespace

MR_OP(Sum){
    .inputs = "input: T, reduction_indices: Tidx",
    .outputs = "output: T",
    .attrs = kReducedNumbers,
    .shape = ReductionShape,
    .ints = int_rules::Sum,
    .doc =
        "The sum over the dimensions that `reduction_indices` names; negative "
        "ones count from the end.",
};

MR_OP(Mean){
    .inputs = "input: T, reduction_indices: Tidx",
    .outputs = "output: T",
    .attrs = kReducedNumbers,
    .shape = ReductionShape,
    .doc = "The mean over dimensions. Of integers, cut towards 0.",
};

MR_OP(Prod){
    .inputs = "input: T, reduction_indices: Tidx",
    .outputs = "output: T",
    .attrs = kReducedNumbers,
    .shape = ReductionShape,
    .ints = int_rules::Product,
    .doc = "The product over dimensions.",
};

MR_OP(Max){
    .inputs = "input: T, reduction_indices: Tidx",
    .outputs = "output: T",
    .attrs = kReducedReal,
    .shape = ReductionShape,
    .ints = int_rules::ReduceMax,
    .doc = "The largest element over dimensions; NaN if one is NaN.",
};

MR_OP(Min){
    .inputs = "input: T, reduction_indices: Tidx",
    .outputs = "output: T",
    .attrs = kReducedReal,
    .shape = ReductionShape,
    .ints = int_rules::ReduceMin,
    .doc = "The smallest element over dimensions; NaN if one is NaN.",
};

MR_OP(EuclideanNorm){
    .inputs = "input: T, reduction_indices: Tidx",
    .outputs = "output: T",
    .attrs = kReducedNumbers,
    .shape = ReductionShape,
    .doc = "The root of the sum of squares over dimensions.",
};

MR_OP(All){
    .inputs = "input: bool, reduction_indices: Tidx",
    .outputs = "output: bool",
    .attrs = "keep_dims: bool = false; Tidx: {int32, int64} = 'int32'",
    .shape = ReductionShape,
    .doc = "Returns whether all elements over dimensions are true.",
};

MR_OP(Any){
    .inputs = "input: bool, reduction_indices: Tidx",
    .outputs = "output: bool",
    .attrs = "keep_dims: bool = false; Tidx: {int32, int64} = 'int32'",
    .shape = ReductionShape,
    .doc = "Returns whether one element over dimensions is true.",
};

}  // namespace millrace::ops

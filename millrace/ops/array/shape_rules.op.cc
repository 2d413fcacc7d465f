#include "millrace/ops/array/shape_rules.op.h"

#include <algorithm>

namespace millrace::ops {

int64_t IntAt(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DataType::kInt8:
      return t.flat<int8_t>()[i];
    case DataType::kUint8:
      return t.flat<uint8_t>()[i];
    case DataType::kInt16:
      return t.flat<int16_t>()[i];
    case DataType::kInt32:
      return t.flat<int32_t>()[i];
    default:
      return t.flat<int64_t>()[i];
  }
}

PartialShape Subshape(const PartialShape& s, int begin, int end) {
  if (!s.known_rank()) {
    return begin == end ? PartialShape(TensorShape()) : PartialShape();
  }
  const int rank = s.rank();
  if (begin < 0) begin = std::max(0, begin + rank);
  if (end < 0) end = std::max(0, end + rank);
  begin = std::min(begin, rank);
  end = std::max(begin, std::min(end, rank));
  return PartialShape(s.dims().subspan(begin, end - begin));
}

StatusOr<int64_t> WithValue(int64_t dim, int64_t value) {
  if (dim != kUnknownDim && dim != value) {
    return InvalidArgument("Dimension must be ", value, " but is ", dim);
  }
  return value;
}

StatusOr<PartialShape> MergePrefix(const PartialShape& s,
                                   const PartialShape& prefix) {
  if (!s.known_rank() || !prefix.known_rank()) return s;
  MR_ASSIGN_OR_RETURN(PartialShape merged,
                      ShapeContext::WithRankAtLeast(s, prefix.rank()));
  for (int i = 0; i < prefix.rank(); ++i) {
    MR_ASSIGN_OR_RETURN(int64_t d,
                        ShapeContext::MergeDims(s.dim(i), prefix.dim(i)));
    merged.set_dim(i, d);
  }
  return merged;
}

StatusOr<int64_t> DimMinus(int64_t a, int64_t b) {
  if (a == kUnknownDim || b == kUnknownDim) return kUnknownDim;
  if (a < b) {
    return InvalidArgument("Negative dimension size caused by subtracting ", b,
                           " from ", a);
  }
  return a - b;
}

Status UnchangedWithHandles(ShapeContext& c) {
  c.set_output(0, c.input(0));
  c.set_output_handles(0, c.input_handles(0));
  return OkStatus();
}

}  // namespace millrace::ops

#include "millrace/ops/slicing/strided_slice.op.h"
#include "millrace/graph/attr/int32_attr.h"
#include "millrace/graph/int_rules.h"

#include <algorithm>

#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

constexpr int64_t kNewAxis = -1;
constexpr int64_t kShrinkAxis = -2;
// Masks have 32 bits, and one position is needed for an implied ellipsis.
constexpr int64_t kMaxSparseDims = 31;

bool Bit(uint32_t mask, int i) { return (mask >> i) & 1; }

// The specification with one entry for each dimension of the input.
struct Dense {
  DimVector begin, end, strides;
  absl::InlinedVector<bool, 4> begin_masked, end_masked, shrink;
  // The dimensions of the result: a dimension of the input, or kNewAxis.
  DimVector result;
};

// The part of the specification for one dimension of the input.
struct Entry {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t stride = 1;
  bool begin_masked = false;
  bool end_masked = false;
  bool shrink = false;
};

StatusOr<Dense> Expand(int rank, const Tensor* begin, const Tensor* end,
                       const Tensor& strides, const StridedSliceMasks& masks) {
  const int count = static_cast<int>(strides.num_elements());
  int ellipsis = count;
  int new_axes_after = 0;
  for (int i = 0; i < count; ++i) {
    if (Bit(masks.ellipsis, i)) {
      if (ellipsis < count)
        return InvalidArgument("Multiple ellipses in slice spec not allowed");
      ellipsis = i;
    } else if (ellipsis < i && Bit(masks.new_axis, i)) {
      ++new_axes_after;
    }
  }
  Dense d;
  const auto add = [&d](const Entry& entry) {
    d.result.push_back(entry.shrink ? kShrinkAxis
                                    : static_cast<int64_t>(d.begin.size()));
    d.begin.push_back(entry.begin);
    d.end.push_back(entry.end);
    d.strides.push_back(entry.stride);
    d.begin_masked.push_back(entry.begin_masked);
    d.end_masked.push_back(entry.end_masked);
    d.shrink.push_back(entry.shrink);
  };
  // The implied ellipsis, if none was given, is at `count`.
  for (int i = 0; i < count + (ellipsis == count ? 1 : 0); ++i) {
    if (i == ellipsis) {
      const int given = ellipsis == count ? count + 1 : count;
      const int until = std::min(rank - (given - i) + 1 + new_axes_after, rank);
      while (static_cast<int>(d.begin.size()) < until)
        add({.begin_masked = true, .end_masked = true});
    } else if (Bit(masks.new_axis, i)) {
      d.result.push_back(kNewAxis);
    } else {
      if (static_cast<int>(d.begin.size()) >= rank) {
        if (rank == 0)
          return InvalidArgument("Attempting to slice scalar input.");
        return InvalidArgument("Index out of range using input dim ",
                               d.begin.size(), "; input has only ", rank,
                               " dims");
      }
      add({.begin = begin ? IntAt(*begin, i) : 0,
           .end = end ? IntAt(*end, i) : 0,
           .stride = IntAt(strides, i),
           .begin_masked = Bit(masks.begin, i),
           .end_masked = Bit(masks.end, i),
           .shrink = Bit(masks.shrink_axis, i)});
    }
  }
  return d;
}

}  // namespace

StatusOr<StridedSlicePlan> PlanStridedSlice(const PartialShape& input,
                                            const Tensor* begin,
                                            const Tensor* end,
                                            const Tensor& strides,
                                            const StridedSliceMasks& masks) {
  const auto bad = [&strides](const Tensor* t) {
    return t && !(t->shape() == strides.shape());
  };
  if (strides.rank() != 1 || strides.num_elements() > kMaxSparseDims ||
      bad(begin) || bad(end)) {
    const auto text = [](const Tensor* t) {
      return t ? t->shape().DebugString() : "<unknown>";
    };
    return InvalidArgument(
        "Expected begin, end, and strides to be 1D equal size tensors, but got "
        "shapes ",
        text(begin), ", ", text(end), ", and ", text(&strides), " instead.");
  }
  MR_ASSIGN_OR_RETURN(Dense d,
                      Expand(input.rank(), begin, end, strides, masks));
  StridedSlicePlan plan;
  plan.is_identity = plan.has_unit_strides = true;
  for (int i = 0; i < input.rank(); ++i) {
    const int64_t stride = d.strides[i];
    const int64_t dim = input.dim(i);
    if (stride == 0)
      return InvalidArgument("strides[", i, "] must be non-zero");
    if (d.shrink[i] && stride < 0) {
      return InvalidArgument("only stride 1 allowed on non-range indexing.");
    }
    int64_t first = 0;
    int64_t size = kUnknownDim;
    const bool whole = d.begin_masked[i] && d.end_masked[i];
    if (dim == kUnknownDim) {
      if (d.shrink[i]) size = 1;
    } else if (d.shrink[i]) {
      size = 1;
      if (begin) {
        first = d.begin[i] < 0 ? d.begin[i] + dim : d.begin[i];
        if (first < 0 || first >= dim) {
          return InvalidArgument("slice index ", first, " of dimension ", i,
                                 " out of bounds.");
        }
      }
    } else if ((begin && end) || whole) {
      const int64_t low = stride > 0 ? 0 : -1;
      const int64_t high = stride > 0 ? dim : dim - 1;
      const auto clamp = [&](int64_t x) {
        return std::clamp(x < 0 ? x + dim : x, low, high);
      };
      first = d.begin_masked[i] ? (stride > 0 ? low : high) : clamp(d.begin[i]);
      const int64_t last =
          d.end_masked[i] ? (stride > 0 ? high : low) : clamp(d.end[i]);
      const int64_t length = last - first;
      size = length == 0 || (length < 0) != (stride < 0)
                 ? 0
                 : length / stride + (length % stride != 0 ? 1 : 0);
    }
    plan.begin.push_back(first);
    // If there is no second element, the stride has no effect and may be huge.
    plan.strides.push_back(size == 0 || size == 1 ? 1 : stride);
    plan.sizes.push_back(size);
    plan.has_unit_strides &= stride == 1;
    plan.is_identity &= first == 0 && size == dim && (stride == 1 || size <= 1);
  }
  DimVector result;
  for (int64_t r : d.result) {
    if (r == kNewAxis) {
      result.push_back(1);
    } else if (r != kShrinkAxis) {
      result.push_back(plan.sizes[r]);
    }
  }
  MR_ASSIGN_OR_RETURN(plan.result, PartialShape::Make(result));
  return plan;
}

Status StridedSliceShape(ShapeContext& c, int first) {
  MR_ASSIGN_OR_RETURN(StridedSliceMasks masks,
                      StridedSliceMasks::FromAttrs(c.attrs()));
  MR_ASSIGN_OR_RETURN(PartialShape spec, c.WithRank(first, 1));
  for (int i = first + 1; i < first + 3; ++i) {
    MR_ASSIGN_OR_RETURN(PartialShape vector, c.WithRank(i, 1));
    MR_ASSIGN_OR_RETURN(spec, ShapeContext::MergeShapes(spec, vector));
  }
  const Tensor* strides = c.input_value(first + 2);
  if (!c.input(0).known_rank() || !strides) return c.Return({});
  MR_ASSIGN_OR_RETURN(
      StridedSlicePlan plan,
      PlanStridedSlice(c.input(0), c.input_value(first),
                       c.input_value(first + 1), *strides, masks));
  return c.Return(std::move(plan.result));
}

StatusOr<StridedSliceMasks> StridedSliceMasks::FromAttrs(const AttrMap& attrs) {
  StridedSliceMasks m;
  const std::pair<const char*, uint32_t*> fields[] = {
      {"begin_mask", &m.begin},
      {"end_mask", &m.end},
      {"ellipsis_mask", &m.ellipsis},
      {"new_axis_mask", &m.new_axis},
      {"shrink_axis_mask", &m.shrink_axis}};
  for (const auto& [name, field] : fields) {
    MR_ASSIGN_OR_RETURN(int64_t value, GetAttr<int64_t>(attrs, name));
    MR_RETURN_IF_ERROR(CheckInt32Attr(name, value));
    *field = static_cast<uint32_t>(value);
  }
  return m;
}

MR_OP(StridedSlice){
    .inputs = "input: T, begin: Index, end: Index, strides: Index",
    .outputs = "output: T",
    .attrs =
        "T: type; Index: {int16, int32, int64}; begin_mask: int = 0; end_mask: "
        "int = 0; ellipsis_mask: int = 0; new_axis_mask: int = 0; "
        "shrink_axis_mask: int = 0",
    .shape = [](ShapeContext& c) -> Status { return StridedSliceShape(c, 1); },
    .ints = int_rules::StridedSlice,
    .doc =
        "Elements begin, begin + stride, ... before end of each dimension, as "
        "Python's "
        "x[begin:end:stride]. Bit i of a mask speaks of entry i: begin or end "
        "is the edge, the "
        "entry stands for all dimensions that the others leave (ellipsis), "
        "adds a dimension of "
        "size 1, or takes one element and drops the dimension (shrink).",
};

MR_OP(StridedSliceGrad){
    .inputs = "shape: Index, begin: Index, end: Index, strides: Index, dy: T",
    .outputs = "output: T",
    .attrs =
        "T: type; Index: {int32, int64}; begin_mask: int = 0; end_mask: int = "
        "0; ellipsis_mask: int = 0; new_axis_mask: int = 0; shrink_axis_mask: "
        "int = 0",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(0));
      return c.Return(std::move(shape));
    },
    .doc = "Zeros of the given shape with `dy` where StridedSlice would read.",
};

}  // namespace millrace::ops

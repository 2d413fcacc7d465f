#include "millrace/client/gradients/grad_context.h"

#include <algorithm>

#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/graph/attr/attr_text.h"

namespace millrace {
namespace {

// The reduction from a broadcast shape back to an operand's.
struct Reduction {
  Output shape;
  Output axes;
  bool needed = true;
};

// Returns the dimensions in which `x` was broadcast to match `y`. Requires:
// both shapes are known.
std::vector<int32_t> SpreadAxes(const PartialShape& x, const PartialShape& y) {
  const int rank = std::max(x.rank(), y.rank());
  std::vector<int32_t> axes;
  for (int i = 0; i < rank; ++i) {
    const int xi = i - (rank - x.rank());
    const int yi = i - (rank - y.rank());
    const int64_t xd = xi < 0 ? 1 : x.dim(xi);
    const int64_t yd = yi < 0 ? 1 : y.dim(yi);
    if (xi < 0 || (xd == 1 && yd != 1)) axes.push_back(i);
  }
  return axes;
}

Output ShapeConst(const Scope& scope, const PartialShape& shape) {
  std::vector<int32_t> dims(shape.dims().begin(), shape.dims().end());
  return ops::Const(scope.WithOpName("Shape"), dims);
}

Output Reduce(const Scope& scope, const Output& gradient,
              const Reduction& reduction) {
  if (!gradient || !reduction.needed) return gradient;
  return ops::Reshape(scope, ops::Sum(scope, gradient, reduction.axes),
                      reduction.shape);
}

}  // namespace

GradContext::GradContext(Scope scope, Operation op, std::vector<Gradient> dys,
                         std::string source, std::vector<bool> wanted)
    : scope_(std::move(scope)),
      op_(op),
      inputs_(op.inputs()),
      dys_(std::move(dys)),
      dxs_(inputs_.size()),
      source_(std::move(source)),
      wanted_(std::move(wanted)) {}

void GradContext::NoSuchPlace(int i) const {
  if (!status_.ok()) return;
  status_ = InvalidArgument(
      "the gradient function for ", NodeMark(op_.name()), " of op ", op_.type(),
      " is that of another op: it asks for input or output ", i, " of ",
      op_.num_inputs(), " inputs and ", op_.num_outputs(), " outputs");
}

Output GradContext::dy(int i) {
  if (!Has(num_outputs(), i)) return {};
  Gradient& gradient = dys_[static_cast<size_t>(i)];
  // Created once, however often it is asked for.
  if (!gradient && out(i).dtype() == DataType::kResource) {
    const DataType type = scope_.graph().VariableType(out(i));
    if (type == DataType::kInvalid) {
      Fail(Unimplemented("No gradient of '", op_.name(),
                         "': it needs zeros for the variable behind '",
                         out(i).name(), "', whose type is not known here"));
      return {};
    }
    gradient = ZerosOfVariable(scope_, out(i), type);
  } else if (!gradient) {
    gradient = ops::ZerosLike(scope_, out(i));
  }
  if (gradient.is_slices())
    gradient = Gradient(ops::ToTensor(scope_, gradient));
  return gradient.tensor;
}

Output ConjOf(const Scope& scope, const Output& x) {
  return IsComplex(x.dtype()) ? ops::Conj(scope, x) : x;
}

Output NumberLike(const Scope& scope, const Output& like, double value) {
  if (IsInteger(like.dtype())) {
    return ops::Const(scope, static_cast<int64_t>(value), like.dtype());
  }
  return ops::Const(scope, value, like.dtype());
}

std::pair<Output, Output> ReduceBroadcast(const Scope& scope, const Output& x,
                                          const Output& y, const Output& dx,
                                          const Output& dy) {
  const PartialShape xs = x.shape();
  const PartialShape ys = y.shape();
  Reduction rx;
  Reduction ry;
  if (xs.IsFullyDefined() && ys.IsFullyDefined()) {
    const std::vector<int32_t> x_axes = SpreadAxes(xs, ys);
    const std::vector<int32_t> y_axes = SpreadAxes(ys, xs);
    rx.needed = !x_axes.empty() && dx;
    ry.needed = !y_axes.empty() && dy;
    if (rx.needed)
      rx = {.shape = ShapeConst(scope, xs), .axes = ops::Const(scope, x_axes)};
    if (ry.needed)
      ry = {.shape = ShapeConst(scope, ys), .axes = ops::Const(scope, y_axes)};
  } else {
    rx.shape = ops::Shape(scope, x);
    ry.shape = ops::Shape(scope.WithOpName("Shape"), y);
    const auto axes = ops::BroadcastGradientArgs(scope, rx.shape, ry.shape);
    rx.axes = axes.r0;
    ry.axes = axes.r1;
  }
  return {Reduce(scope, dx, rx), Reduce(scope, dy, ry)};
}

void SetBroadcast(GradContext& g, const Output& dx, const Output& dy) {
  auto [x, y] = ReduceBroadcast(g, g.in(0), g.in(1), dx, dy);
  g.Set(0, x);
  g.Set(1, y);
}

}  // namespace millrace

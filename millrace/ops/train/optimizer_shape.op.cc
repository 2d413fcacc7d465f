#include "millrace/ops/train/optimizer_shape.op.h"

#include <algorithm>

#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

bool IsVariable(const ArgDef& input) {
  return input.is_ref || input.type == DataType::kResource;
}

// Returns the index of the first input for which `f` is true, or the number of
// inputs if there is none.
template <class F>
int FindInput(const OpDef& op, F f) {
  return static_cast<int>(std::find_if(op.inputs.begin(), op.inputs.end(), f) -
                          op.inputs.begin());
}

// Returns the shape of a variable that is an input.
PartialShape VariableShapeOf(ShapeContext& c, int i) {
  if (c.op().inputs[static_cast<size_t>(i)].is_ref) return c.input(i);
  return c.input_handles(i).empty() ? PartialShape()
                                    : c.input_handles(i)[0].shape;
}

}  // namespace

Status OptimizerShape(ShapeContext& c) {
  const int variables =
      FindInput(c.op(), [](const ArgDef& in) { return !IsVariable(in); });
  const int grad = FindInput(c.op(), [](const ArgDef& in) {
    return in.name == "grad" || in.name == "delta";
  });
  const int indices =
      FindInput(c.op(), [](const ArgDef& in) { return in.name == "indices"; });
  const bool sparse = indices < c.num_inputs();
  PartialShape shape = VariableShapeOf(c, 0);
  for (int i = 1; i < variables; ++i) {
    MR_ASSIGN_OR_RETURN(
        shape, ShapeContext::MergeShapes(shape, VariableShapeOf(c, i)));
  }
  if (sparse) {
    MR_ASSIGN_OR_RETURN(const PartialShape rows, c.WithRankAtLeast(grad, 1));
    MR_ASSIGN_OR_RETURN(const PartialShape places, c.WithRank(indices, 1));
    MR_RETURN_IF_ERROR(
        ShapeContext::MergeShapes(Subshape(rows, 0, 1), places).status());
    MR_RETURN_IF_ERROR(
        ShapeContext::MergeShapes(Subshape(rows, 1), Subshape(shape, 1))
            .status());
  } else {
    MR_ASSIGN_OR_RETURN(shape, ShapeContext::MergeShapes(shape, c.input(grad)));
  }
  for (int i = variables; i < c.num_inputs(); ++i) {
    if (i == grad || i == indices) continue;
    MR_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  }
  if (c.num_outputs() > 0) c.set_output(0, std::move(shape));
  return OkStatus();
}

}  // namespace millrace::ops

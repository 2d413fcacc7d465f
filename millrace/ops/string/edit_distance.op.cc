#include <algorithm>

#include "millrace/graph/shape_context.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {
namespace {

// Requires a sparse tensor in the inputs from `first` on.
Status CheckSequences(ShapeContext& c, int first) {
  MR_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(first, 2));
  MR_ASSIGN_OR_RETURN(const PartialShape values, c.WithRank(first + 1, 1));
  MR_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(first + 2, 1));
  const auto differ = [](int64_t a, int64_t b) {
    return a != kUnknownDim && b != kUnknownDim && a != b;
  };
  const int64_t count = ShapeContext::Dim(indices, 0);
  const int64_t rank = ShapeContext::Dim(indices, 1);
  if (differ(count, ShapeContext::Dim(values, 0))) {
    return InvalidArgument("Number of elements in index (", count,
                           ") and values (", ShapeContext::Dim(values, 0),
                           ") do not match.");
  }
  if (differ(rank, ShapeContext::Dim(shape, 0))) {
    return InvalidArgument("Index rank (", rank, ") and shape rank (",
                           ShapeContext::Dim(shape, 0), ") do not match.");
  }
  return OkStatus();
}

// A sequence has a place among others, so one dimension is not enough.
Status CheckRank(absl::string_view which, absl::string_view name,
                 const Tensor& shape) {
  if (shape.num_elements() >= 2) return OkStatus();
  return InvalidArgument("Input ", which,
                         " SparseTensors must have rank at least 2, but ", name,
                         " rank is: ", shape.num_elements());
}

Status EditDistanceShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckSequences(c, 0));
  MR_RETURN_IF_ERROR(CheckSequences(c, 3));
  const Tensor* const hypothesis = c.input_value(2);
  const Tensor* const truth = c.input_value(5);
  if (hypothesis == nullptr || truth == nullptr)
    return c.Return(PartialShape());
  if (hypothesis->num_elements() != truth->num_elements()) {
    return InvalidArgument(
        "Num elements of hypothesis_shape does not match truth_shape: ",
        hypothesis->num_elements(), " vs. ", truth->num_elements());
  }
  MR_RETURN_IF_ERROR(CheckRank("Hypothesis", "hypothesis_shape", *hypothesis));
  MR_RETURN_IF_ERROR(CheckRank("Truth", "truth_shape", *truth));
  DimVector dims;
  for (int64_t i = 0; i + 1 < truth->num_elements(); ++i) {
    const auto at = static_cast<size_t>(i);
    dims.push_back(
        std::max(hypothesis->flat<int64_t>()[at], truth->flat<int64_t>()[at]));
  }
  MR_ASSIGN_OR_RETURN(PartialShape shape, PartialShape::Make(dims));
  return c.Return(std::move(shape));
}

}  // namespace

MR_OP(EditDistance){
    .inputs =
        "hypothesis_indices: int64, hypothesis_values: T, hypothesis_shape: "
        "int64, truth_indices: int64, truth_values: T, truth_shape: int64",
    .outputs = "output: float",
    .attrs = "normalize: bool = true; T: type",
    .shape = EditDistanceShape,
    .doc =
        "The Levenshtein distance of the sequences along the last dimension of "
        "two sparse tensors: the least number of elements to insert, delete "
        "and replace. With `normalize` it is divided by the length of the "
        "true sequence, and infinite if that one is empty.",
};

}  // namespace millrace::ops

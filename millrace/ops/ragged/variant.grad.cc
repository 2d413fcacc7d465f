#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

// The gradient of variants is variants of ragged tensors with the same splits.
MR_GRADIENT(RaggedTensorToVariant)(GradContext& g) {
  const int levels = g.num_inputs() - 1;
  const bool batched = g.Attr<bool>("batched_input");
  const Output& values = g.in(levels);
  if (batched && levels == 0) {
    // A variant for each row: as rows of length 1, without the splits.
    g.Fail(Unimplemented(
        "the gradient of RaggedTensorToVariant for a batch without splits"));
    return;
  }
  const auto parts = RaggedTensorFromVariant(
      g, g.dy(), batched ? levels - 1 : levels, levels, values.dtype(),
      {.Tsplits = levels > 0 ? g.in(0).dtype() : DataType::kInt64});
  g.Set(levels, parts.output_dense_values);
}

MR_GRADIENT(RaggedTensorFromVariant)(GradContext& g) {
  const int levels = g.num_outputs() - 1;
  const PartialShape shape = g.in(0).shape();
  if (shape.known_rank() && shape.rank() > 1) {
    g.Fail(Unimplemented(
        "the gradient of RaggedTensorFromVariant for a tensor of variants with "
        "more than one dimension"));
    return;
  }
  std::vector<Output> splits;
  for (int i = 0; i < levels; ++i) splits.push_back(g.out(i));
  const bool batched = shape.known_rank() ? shape.rank() == 1 : levels > 0;
  g.Set(0, RaggedTensorToVariant(g, splits, g.dy(levels), batched));
}

}  // namespace millrace::ops

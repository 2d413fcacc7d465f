#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"
#include "millrace/ops/product/einsum_equation.op.h"

namespace millrace::ops {
namespace {

Status EinsumShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const std::string text, c.Attr<std::string>("equation"));
  MR_ASSIGN_OR_RETURN(const EinsumEquation equation, ParseEinsumEquation(text));
  if (static_cast<size_t>(c.num_inputs()) != equation.inputs.size()) {
    return InvalidArgument("Expected ", equation.inputs.size(),
                           " inputs for equation ", text,
                           " but got: ", c.num_inputs());
  }
  std::vector<int64_t> sizes(static_cast<size_t>(equation.num_labels),
                             kUnknownDim);
  PartialShape spread = PartialShape(std::initializer_list<int64_t>{});
  for (int i = 0; i < c.num_inputs(); ++i) {
    const EinsumLabels& labels = equation.inputs[static_cast<size_t>(i)];
    const int named = static_cast<int>(labels.size());
    const bool ellipsis = HasEllipsis(labels);
    MR_ASSIGN_OR_RETURN(
        const PartialShape x,
        ellipsis ? c.WithRankAtLeast(i, named - 1) : c.WithRank(i, named));
    if (!x.known_rank()) {
      spread = PartialShape();
      continue;
    }
    int d = 0;
    for (const int label : labels) {
      if (label == kEllipsis) {
        const int end = d + x.rank() - named + 1;
        MR_ASSIGN_OR_RETURN(const PartialShape part,
                            ShapeContext::Subshape(x, d, end));
        MR_ASSIGN_OR_RETURN(spread, shapes::BroadcastShapes(spread, part));
        d = end;
        continue;
      }
      int64_t& size = sizes[static_cast<size_t>(label)];
      MR_ASSIGN_OR_RETURN(size, ShapeContext::MergeDims(size, x.dim(d++)));
    }
  }
  PartialShape out = PartialShape(std::initializer_list<int64_t>{});
  for (const int label : equation.output) {
    out = out.Concatenate(
        label == kEllipsis ? spread
                           : PartialShape({sizes[static_cast<size_t>(label)]}));
  }
  if (!HasEllipsis(equation.output) && spread.rank() > 0) {
    return InvalidArgument("Output subscripts of equation '", text,
                           "' need an ellipsis for broadcast dimensions ",
                           spread.DebugString());
  }
  return c.Return(std::move(out));
}

}  // namespace

MR_OP(Einsum){
    .inputs = "inputs: N * T",
    .outputs = "output: T",
    .attrs = "equation: string; N: int >= 1; T: type",
    .shape = EinsumShape,
    .doc =
        "Sums products of elements over the labels of `equation` that its "
        "output lacks, as in 'ab,bc->ac'. Labels that an input repeats take "
        "its diagonal, those that the output repeats fill a diagonal, and '...'"
        " stands for dimensions that broadcast.",
};

}  // namespace millrace::ops

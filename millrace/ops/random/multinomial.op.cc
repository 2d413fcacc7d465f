#include "millrace/ops/random/number_shapes.op.h"

namespace millrace::ops {
namespace {

Status MultinomialShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape logits, c.WithRank(0, 2));
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  MR_ASSIGN_OR_RETURN(const int64_t samples, c.DimFromInput(1));
  return c.Return(PartialShape({logits.dim(0), samples}));
}

Status StatelessMultinomialShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckSeed(c, 2));
  return MultinomialShape(c);
}

}  // namespace

MR_OP(Multinomial){
    .inputs = "logits: T, num_samples: int32",
    .outputs = "output: output_dtype",
    .attrs =
        "seed: int = 0; seed2: int = 0; T: realnumbertype; output_dtype: "
        "{int32, int64} = 'int64'",
    .flags = kStateful,
    .shape = MultinomialShape,
    .doc =
        "Draws classes for each row of `logits`, each with a probability in "
        "proportion to exp(logit). Logits that are not finite are never drawn.",
};
MR_OP(StatelessMultinomial){
    .inputs = "logits: T, num_samples: int32, seed: Tseed",
    .outputs = "output: output_dtype",
    .attrs =
        "T: realnumbertype; Tseed: {int32, int64} = 'int64'; output_dtype: "
        "{int32, int64} = 'int64'",
    .shape = StatelessMultinomialShape,
    .doc = "Multinomial with numbers that depend on the seed alone.",
};

}  // namespace millrace::ops

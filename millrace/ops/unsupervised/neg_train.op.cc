#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(NegTrain){
    .inputs =
        "w_in: Ref(float), w_out: Ref(float), examples: int32, labels: int32, "
        "lr: float",
    .attrs = "vocab_count: list(int); num_negative_samples: int",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc =
        "Trains word vectors (Mikolov and others, 2013): raises the products "
        "of the rows of `w_in` for `examples` with those of `w_out` for "
        "`labels`, and lowers those with `num_negative_samples` rows that are "
        "drawn by `vocab_count` to the power of 3/4.",
    .deprecated_version = 19,
    .deprecated_hint =
        "Moving word2vec into tensorflow_models/tutorials and deprecating its "
        "ops here as a result",
};

}  // namespace millrace::ops

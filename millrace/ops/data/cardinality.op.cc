#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {

MR_OP(DatasetCardinality){
    .inputs = "input_dataset: variant",
    .outputs = "cardinality: int64",
    .attrs = "cardinality_options: string = ''",
    .shape = shapes::Scalar,
    .doc = "The number of elements, -1 without end, -2 if it is not known.",
};

}  // namespace millrace::ops

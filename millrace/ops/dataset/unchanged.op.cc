// Schemas of data sets that say how their input should be run.
#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {

MR_OP(OptionsDataset){
    .inputs = "input_dataset: variant",
    .outputs = "handle: variant",
    .attrs = "serialized_options: string; " MR_ELEMENT_ATTRS MR_METADATA,
    .shape = DatasetFromScalars,
    .doc = "The data set as it is.",
};

MR_OP(RewriteDataset){
    .inputs = "input_dataset: variant, rewrite_name: string",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS,
    .shape = DatasetFromScalars,
    .doc =
        "The data set as it is: rewriting changes nothing that a program "
        "sees.",
};

MR_OP(ModelDataset){
    .inputs = "input_dataset: variant",
    .outputs = "handle: variant",
    .attrs =
        "algorithm: int = 0; cpu_budget: int = 0; ram_budget: int = "
        "0; " MR_ELEMENT_ATTRS,
    .shape = DatasetFromScalars,
    .doc = "The data set as it is.",
};

MR_OP(FinalizeDataset){
    .inputs = "input_dataset: variant",
    .outputs = "handle: variant",
    .attrs = "has_captured_ref: bool = false; " MR_ELEMENT_ATTRS,
    .shape = DatasetFromScalars,
    .doc = "The data set as it is.",
};

MR_OP(MaxIntraOpParallelismDataset){
    .inputs = "input_dataset: variant, max_intra_op_parallelism: int64",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS,
    .shape = DatasetFromScalars,
    .doc = "The data set as it is; the server decides on its threads.",
};

MR_OP(PrivateThreadPoolDataset){
    .inputs = "input_dataset: variant, num_threads: int64",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS,
    .shape = DatasetFromScalars,
    .doc = "The data set as it is; the server decides on its threads.",
};

}  // namespace millrace::ops

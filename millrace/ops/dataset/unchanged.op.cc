// Schemas of data sets that say how their input should be run.
#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

constexpr OpFields kMaxIntraOpParallelism = {
    .inputs = "input_dataset: variant, max_intra_op_parallelism: int64",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS,
    .flags = kElementShapesUnread,
    .shape = DatasetFromScalars,
    .doc = "The data set as it is; the server decides on its threads.",
};

constexpr OpFields kPrivateThreadPool = {
    .inputs = "input_dataset: variant, num_threads: int64",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS,
    .flags = kElementShapesUnread,
    .shape = DatasetFromScalars,
    .doc = "The data set as it is; the server decides on its threads.",
};

constexpr OpFields kNonSerializable = {
    .inputs = "input_dataset: variant",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS,
    .shape = shapes::Scalar,
    .doc = "The data set as it is, but without a graph.",
};

}  // namespace

MR_OP(OptionsDataset){
    .inputs = "input_dataset: variant",
    .outputs = "handle: variant",
    .attrs = "serialized_options: string; " MR_ELEMENT_ATTRS MR_METADATA,
    .flags = kElementShapesUnread,
    .shape = DatasetFromScalars,
    .doc = "The data set as it is.",
};

MR_OP(RewriteDataset){
    .inputs = "input_dataset: variant, rewrite_name: string",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS,
    .flags = kElementShapesUnread,
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
    .flags = kElementShapesUnread,
    .shape = DatasetFromScalars,
    .doc = "The data set as it is.",
};

MR_OP(FinalizeDataset){
    .inputs = "input_dataset: variant",
    .outputs = "handle: variant",
    .attrs = "has_captured_ref: bool = false; " MR_ELEMENT_ATTRS,
    .flags = kElementShapesUnread,
    .shape = DatasetFromScalars,
    .doc = "The data set as it is.",
};

MR_OP(MaxIntraOpParallelismDataset)(kMaxIntraOpParallelism);

MR_OP(ExperimentalMaxIntraOpParallelismDataset)(kMaxIntraOpParallelism);

MR_OP(PrivateThreadPoolDataset)(kPrivateThreadPool);

MR_OP(ExperimentalPrivateThreadPoolDataset)(kPrivateThreadPool);

MR_OP(NonSerializableDataset)(kNonSerializable);

MR_OP(ExperimentalNonSerializableDataset)(kNonSerializable);

MR_OP(OptimizeDataset){
    .inputs = "input_dataset: variant, optimizations: string",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS "; optimization_configs: list(string) = []",
    .flags = kElementShapesUnread,
    .shape = shapes::Scalar,
    .doc =
        "The data set as it is: rewriting changes nothing that a program "
        "sees.",
};

}  // namespace millrace::ops

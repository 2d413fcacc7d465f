// Schemas of pools of threads for data sets.
#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

constexpr OpFields kThreadPoolDataset = {
    .inputs = "input_dataset: variant, thread_pool: resource",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS,
    .flags = kStateful | kElementShapesUnread,
    .shape = shapes::Scalar,
    .doc = "The data set as it is; the server decides on its threads.",
};

constexpr OpFields kThreadPoolHandle = {
    .outputs = "handle: resource",
    .attrs =
        "num_threads: int; max_intra_op_parallelism: int = 1; "
        "display_name: string; container: string = ''; "
        "shared_name: string = ''",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "A handle for ThreadPoolDataset; no threads belong to it.",
};

}  // namespace

MR_OP(ThreadPoolDataset)(kThreadPoolDataset);

MR_OP(ExperimentalThreadPoolDataset)(kThreadPoolDataset);

MR_OP(ThreadPoolHandle)(kThreadPoolHandle);

MR_OP(ExperimentalThreadPoolHandle)(kThreadPoolHandle);

}  // namespace millrace::ops

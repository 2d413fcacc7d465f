// Schemas of ops that convert data sets to graphs and back.
#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {

MR_OP(DatasetToGraph){
    .inputs = "input_dataset: variant",
    .outputs = "graph: string",
    .attrs =
        "stateful_whitelist: list(string) >= 0 = []; allow_stateful: bool = "
        "false; strip_device_assignment: bool = false",
    .shape = shapes::Scalar,
    .doc =
        "A serialized GraphDef that makes the data set, with the functions "
        "that "
        "it calls. Functions with state are refused unless allow_stateful says "
        "otherwise.",
};

MR_OP(DatasetFromGraph){
    .inputs = "graph_def: string",
    .outputs = "handle: variant",
    .shape = shapes::Scalar,
    .doc = "The data set that a graph makes which DatasetToGraph has written.",
};

}  // namespace millrace::ops

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(TensorSummary){
    .inputs = "tensor: T",
    .outputs = "summary: string",
    .attrs =
        "T: type; description: string = ''; labels: list(string) = []; "
        "display_name: string = ''",
    .shape = shapes::Scalar,
    .doc = "A tensor under the node's name.",
};

MR_OP(TensorSummaryV2){
    .inputs = "tag: string, tensor: T, serialized_summary_metadata: string",
    .outputs = "summary: string",
    .attrs = "T: type",
    .shape = shapes::Scalar,
    .doc = "A tensor under a tag, with a message for plug-ins.",
};

}  // namespace millrace::ops

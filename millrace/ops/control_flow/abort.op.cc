#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(Abort){
    .attrs = "error_msg: string = ''; exit_without_error: bool = false",
    .shape = shapes::NoOutputs,
    .doc =
        "Fails its step with ABORTED. Unlike TensorFlow's it never ends the "
        "server.",
};

}  // namespace millrace::ops

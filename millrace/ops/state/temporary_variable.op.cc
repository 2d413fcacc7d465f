#include "millrace/ops/state/declared_shape.op.h"

namespace millrace::ops {

MR_OP(TemporaryVariable){
    .outputs = "ref: Ref(dtype)",
    .attrs = "shape: shape; dtype: type; var_name: string = ''",
    .flags = kStateful,
    .shape = DeclaredShape,
    .doc =
        "A variable that lives for one step; DestroyTemporaryVariable takes "
        "its value.",
};

MR_OP(DestroyTemporaryVariable){
    .inputs = "ref: Ref(T)",
    .outputs = "value: T",
    .attrs = "T: type; var_name: string",
    .shape = shapes::Unchanged,
    .doc = "Ends a temporary variable and gives its last value.",
};

}  // namespace millrace::ops

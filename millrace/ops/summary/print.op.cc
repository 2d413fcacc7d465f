#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(Print){
    .inputs = "input: T, data: U",
    .outputs = "output: T",
    .attrs =
        "T: type; U: list(type) >= 0; message: string = ''; first_n: int = -1; "
        "summarize: int = 3",
    .flags = kStateful,
    .shape = shapes::Unchanged,
    .doc =
        "Gives `input` on, and logs the message and the first elements of "
        "`data` on its server, the first first_n times (-1: always).",
};

}  // namespace millrace::ops

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(For){
    .inputs = "start: int32, limit: int32, delta: int32, input: T",
    .outputs = "output: T",
    .attrs = "T: list(type) >= 0; body: func",
    .shape = shapes::Unknown,
    .doc =
        "Calls `body` with a number, from `start` up to `limit` in steps of "
        "`delta`, and its own results, at first `input`.",
};

}  // namespace millrace::ops

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(RemoteCall){
    .inputs = "target: string, args: Tin",
    .outputs = "output: Tout",
    .attrs = "Tin: list(type) >= 1; Tout: list(type) >= 1; f: func",
    .flags = kStateful,
    .shape = shapes::Unknown,
    .doc =
        "Calls a function on the device that `target` names, which may be "
        "one of another task. Parts that the name lacks are those of the "
        "caller's device.",
};

}  // namespace millrace::ops

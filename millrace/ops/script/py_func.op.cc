#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(PyFunc){
    .inputs = "input: Tin",
    .outputs = "output: Tout",
    .attrs = "token: string; Tin: list(type) >= 0; Tout: list(type) >= 0",
    .flags = kStateful | kKeepsInputs,
    .shape = shapes::Unknown,
    .doc =
        "A Python function, which the client's process knows by its token. "
        "No server can run it: INVALID_ARGUMENT.",
};

MR_OP(PyFuncStateless){
    .inputs = "input: Tin",
    .outputs = "output: Tout",
    .attrs = "token: string; Tin: list(type) >= 0; Tout: list(type) >= 0",
    .flags = kKeepsInputs,
    .shape = shapes::Unknown,
    .doc = "PyFunc without state.",
};

MR_OP(EagerPyFunc){
    .inputs = "input: Tin",
    .outputs = "output: Tout",
    .attrs =
        "token: string; is_async: bool = false; Tin: list(type) >= 0; Tout: "
        "list(type) >= 0",
    .flags = kStateful | kKeepsInputs,
    .shape = shapes::Unknown,
    .doc = "PyFunc whose function takes and returns eager tensors.",
};

}  // namespace millrace::ops

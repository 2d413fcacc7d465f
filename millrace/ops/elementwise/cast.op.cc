#include "millrace/graph/int_rules.h"
#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(Cast){
    .inputs = "x: SrcT",
    .outputs = "y: DstT",
    .attrs = "SrcT: type; DstT: type; Truncate: bool = false",
    .law = Law::kSameType,
    .shape = shapes::Unchanged,
    .ints = int_rules::Same,
    .doc =
        "x as another type. Real parts of complex numbers; fractions are cut "
        "off on the way to integers, and where the number does not fit, its "
        "low bits remain. `Truncate` cuts instead of rounding between floating "
        "types.",
};

}  // namespace millrace::ops

#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(ClipByValue){
    .inputs = "t: T, clip_value_min: T, clip_value_max: T",
    .outputs = "output: T",
    .attrs =
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, "
        "half, uint32, uint64}",
    .shape = shapes::Unchanged,
    .doc =
        "t limited to [clip_value_min, clip_value_max], which are scalars or "
        "of the shape of t.",
};

}  // namespace millrace::ops

#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

constexpr char kScan[] =
    "exclusive: bool = false; reverse: bool = false; T: {float, double, int32, "
    "uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, "
    "qint16, quint16, uint16, complex128, half, uint32, uint64}; Tidx: {int32, "
    "int64} = 'int32'";

}  // namespace

MR_OP(Cumsum){
    .inputs = "x: T, axis: Tidx",
    .outputs = "out: T",
    .attrs = kScan,
    .shape = shapes::Unchanged,
    .doc =
        "Sums of the elements up to each one along `axis`: without that "
        "element if `exclusive`, from the end if `reverse`.",
};

MR_OP(Cumprod){
    .inputs = "x: T, axis: Tidx",
    .outputs = "out: T",
    .attrs = kScan,
    .shape = shapes::Unchanged,
    .doc =
        "Products of the elements up to each one along `axis`: without that "
        "element if `exclusive`, from the end if `reverse`.",
};

MR_OP(CumulativeLogsumexp){
    .inputs = "x: T, axis: Tidx",
    .outputs = "out: T",
    .attrs =
        "exclusive: bool = false; reverse: bool = false; T: {bfloat16, half, "
        "float, double}; Tidx: {int32, int64} = 'int32'",
    .shape = shapes::Unchanged,
    .doc =
        "The logarithm of Cumsum of exp(x) along `axis`, without overflow; "
        "-inf "
        "for an empty sum.",
};

}  // namespace millrace::ops

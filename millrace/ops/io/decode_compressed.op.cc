#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(DecodeCompressed){
    .inputs = "bytes: string",
    .outputs = "output: string",
    .attrs = "compression_type: string = ''",
    .shape = shapes::Unchanged,
    .doc = "Strings that were compressed by ZLIB or GZIP.",
};

}  // namespace millrace::ops

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(UnicodeScript){
    .inputs = "input: int32",
    .outputs = "output: int32",
    .shape = shapes::Unchanged,
    .doc = "ICU's numbers of the scripts of code points; -1 for what is none.",
};

}  // namespace millrace::ops

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(Timestamp){
    .outputs = "ts: double",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "Seconds since 1970 at the moment it runs.",
};

}  // namespace millrace::ops

#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {

MR_OP(SqlDataset){
    .inputs = "driver_name: string, data_source_name: string, query: string",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS,
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc =
        "The rows that a query gives of a database; the only driver is "
        "'sqlite'.",
};

MR_OP(ExperimentalSqlDataset){
    .inputs = "driver_name: string, data_source_name: string, query: string",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS,
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "SqlDataset under its first name.",
};

}  // namespace millrace::ops

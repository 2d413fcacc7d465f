#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(SummaryWriter){
    .outputs = "writer: resource",
    .attrs = "shared_name: string = ''; container: string = ''",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "A handle to a summary writer, which another op opens.",
};

MR_OP(CreateSummaryFileWriter){
    .inputs =
        "writer: resource, logdir: string, max_queue: int32, flush_millis: "
        "int32, filename_suffix: string",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc =
        "Opens an event file in the folder `logdir` for a writer, unless the "
        "writer is open.",
};

MR_OP(CreateSummaryDbWriter){
    .inputs =
        "writer: resource, db_uri: string, experiment_name: string, run_name: "
        "string, user_name: string",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc =
        "Opens a database for a writer, unless the writer is open. It needs "
        "SQLite's library.",
};

MR_OP(FlushSummaryWriter){
    .inputs = "writer: resource",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc = "Makes everything readable that was written so far.",
};

MR_OP(CloseSummaryWriter){
    .inputs = "writer: resource",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc = "Ends a writer; its handle can be opened anew.",
};

}  // namespace millrace::ops

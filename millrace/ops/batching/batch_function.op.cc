#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(BatchFunction){
    .inputs = "in_tensors: Tin, captured_tensors: Tcaptured",
    .outputs = "out_tensors: Tout",
    .attrs =
        "f: func; num_batch_threads: int; max_batch_size: int; "
        "batch_timeout_micros: int; max_enqueued_batches: int = 10; "
        "allowed_batch_sizes: list(int) = []; container: string = ''; "
        "shared_name: string = ''; batching_queue: string = ''; "
        "low_priority_max_batch_size: int = 0; "
        "low_priority_batch_timeout_micros: int = 0; "
        "low_priority_allowed_batch_sizes: list(int) = []; "
        "low_priority_max_enqueued_batches: int = 0; "
        "mixed_priority_policy: {'low_priority_padding_with_max_batch_size', "
        "'low_priority_padding_with_next_allowed_batch_size', "
        "'priority_isolation', 'priority_merge'} = "
        "'low_priority_padding_with_max_batch_size'; "
        "batch_padding_policy: {'PAD_UP', 'BATCH_DOWN', "
        "'MINIMIZE_TPU_COST_PER_REQUEST'} = 'PAD_UP'; Tin: list(type) >= 1; "
        "Tcaptured: list(type) >= 0; Tout: list(type) >= 1; "
        "enable_large_batch_splitting: bool = false",
    .flags = kChecks,
    .shape = shapes::Unknown,
    .doc =
        "Joins the rows of several runs to a batch, calls `f` with it, and "
        "gives each run its rows of the results. Batches are padded up, and "
        "all runs have one priority.",
};

}  // namespace millrace::ops

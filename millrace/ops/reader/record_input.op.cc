#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(RecordInput){
    .outputs = "records: string",
    .attrs =
        "file_pattern: string; file_random_seed: int = 301; "
        "file_shuffle_shift_ratio: float = 0; file_buffer_size: int = 10000; "
        "file_parallelism: int = 16; batch_size: int = 32; compression_type: "
        "string = ''",
    .flags = kStateful,
    .shape = shapes::Unknown,
    .doc =
        "A batch of records of TFRecord files in random order, from "
        "file_buffer_size of them at a time; the files are read again and "
        "again.",
};

}  // namespace millrace::ops

#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(StringToHashBucket){
    .inputs = "string_tensor: string",
    .outputs = "output: int64",
    .attrs = "num_buckets: int >= 1",
    .shape = shapes::Unchanged,
    .doc = "Hashes of strings, modulo the number of buckets.",
};

MR_OP(StringToHashBucketFast){
    .inputs = "input: string",
    .outputs = "output: int64",
    .attrs = "num_buckets: int >= 1",
    .shape = shapes::Unchanged,
    .doc = "Hashes of strings by a better function, which is no secret.",
};

MR_OP(StringToHashBucketStrong){
    .inputs = "input: string",
    .outputs = "output: int64",
    .attrs = "num_buckets: int >= 1; key: list(int)",
    .shape = shapes::Unchanged,
    .doc =
        "Hashes of strings by a secret `key` of two numbers, so that nobody "
        "can choose strings that fall into one bucket.",
};

}  // namespace millrace::ops

#include "millrace/ops/queue/handle_shapes.op.h"

namespace millrace::ops {

MR_OP(MutexV2){
    .outputs = "resource: resource",
    .attrs = "container: string = ''; shared_name: string = ''",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "A mutex that steps may lock.",
};

MR_OP(MutexLock){
    .inputs = "mutex: resource",
    .outputs = "mutex_lock: variant",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "Waits for the mutex; it is locked as long as the output lives.",
};

MR_OP(ConsumeMutexLock){
    .inputs = "mutex_lock: variant",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc = "Keeps a lock alive until here.",
};

}  // namespace millrace::ops

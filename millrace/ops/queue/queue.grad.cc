// No gradient flows back through a queue.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(QueueClose);
MR_NO_GRADIENT(QueueDequeue);
MR_NO_GRADIENT(QueueDequeueMany);
MR_NO_GRADIENT(QueueDequeueUpTo);
MR_NO_GRADIENT(QueueEnqueue);
MR_NO_GRADIENT(QueueEnqueueMany);
MR_NO_GRADIENT(QueueSize);

}  // namespace millrace::ops

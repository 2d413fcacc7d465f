#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_NO_GRADIENT(Stack);
MR_NO_GRADIENT(StackPush);
MR_NO_GRADIENT(StackPop);
MR_NO_GRADIENT(StackClose);

}  // namespace millrace::ops

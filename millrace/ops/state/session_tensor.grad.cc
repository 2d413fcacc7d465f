#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_NO_GRADIENT(GetSessionHandle);
MR_NO_GRADIENT(GetSessionHandleV2);
MR_NO_GRADIENT(GetSessionTensor);
MR_NO_GRADIENT(DeleteSessionTensor);

}  // namespace millrace::ops

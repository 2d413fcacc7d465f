#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_NO_GRADIENT(RandomCrop);

}  // namespace millrace::ops

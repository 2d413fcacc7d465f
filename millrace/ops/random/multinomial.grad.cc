#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_NO_GRADIENT(Multinomial);
MR_NO_GRADIENT(StatelessMultinomial);

}  // namespace millrace::ops

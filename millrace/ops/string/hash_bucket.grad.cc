// Strings have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(StringToHashBucket);
MR_NO_GRADIENT(StringToHashBucketFast);
MR_NO_GRADIENT(StringToHashBucketStrong);

}  // namespace millrace::ops

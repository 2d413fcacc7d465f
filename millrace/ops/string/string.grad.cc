// Strings have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(AsString);
MR_NO_GRADIENT(DecodeBase64);
MR_NO_GRADIENT(EncodeBase64);
MR_NO_GRADIENT(ReduceJoin);
MR_NO_GRADIENT(RegexReplace);
MR_NO_GRADIENT(StringJoin);
MR_NO_GRADIENT(StringSplit);
MR_NO_GRADIENT(StringToHashBucket);
MR_NO_GRADIENT(StringToHashBucketFast);
MR_NO_GRADIENT(StringToHashBucketStrong);
MR_NO_GRADIENT(StringToNumber);

}  // namespace millrace::ops

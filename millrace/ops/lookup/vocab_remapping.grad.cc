#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(GenerateVocabRemapping);

}  // namespace millrace::ops

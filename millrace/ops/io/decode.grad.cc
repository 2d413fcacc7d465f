// Bytes have no gradients.
#include "millrace/client/gradient_decl.h"

MR_NO_GRADIENT(DecodePaddedRaw);
MR_NO_GRADIENT(DecodeRaw);

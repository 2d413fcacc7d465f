// Nothing goes back to a data set.
#include "millrace/client/gradient_decl.h"

MR_NO_GRADIENT(ReduceDataset);

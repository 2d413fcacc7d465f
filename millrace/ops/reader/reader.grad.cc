// Records have no gradients.
#include "millrace/client/gradients/gradient_decl.h"

namespace millrace::ops {

MR_NO_GRADIENT(FixedLengthRecordReader);
MR_NO_GRADIENT(IdentityReader);
MR_NO_GRADIENT(LMDBReader);
MR_NO_GRADIENT(ReaderNumRecordsProduced);
MR_NO_GRADIENT(ReaderNumWorkUnitsCompleted);
MR_NO_GRADIENT(ReaderRead);
MR_NO_GRADIENT(ReaderReadUpTo);
MR_NO_GRADIENT(ReaderReset);
MR_NO_GRADIENT(ReaderRestoreState);
MR_NO_GRADIENT(ReaderSerializeState);
MR_NO_GRADIENT(TFRecordReader);
MR_NO_GRADIENT(TextLineReader);
MR_NO_GRADIENT(WholeFileReader);

}  // namespace millrace::ops

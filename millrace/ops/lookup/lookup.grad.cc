// Tables have no gradients.
#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

MR_NO_GRADIENT(LookupTableFind);
MR_NO_GRADIENT(LookupTableFindV2);
MR_NO_GRADIENT(LookupTableInsert);
MR_NO_GRADIENT(LookupTableInsertV2);
MR_NO_GRADIENT(LookupTableSize);
MR_NO_GRADIENT(LookupTableSizeV2);
MR_NO_GRADIENT(HashTable);
MR_NO_GRADIENT(HashTableV2);
MR_NO_GRADIENT(InitializeTable);
MR_NO_GRADIENT(InitializeTableV2);
MR_NO_GRADIENT(InitializeTableFromTextFile);
MR_NO_GRADIENT(InitializeTableFromTextFileV2);
MR_NO_GRADIENT(MutableDenseHashTable);
MR_NO_GRADIENT(MutableDenseHashTableV2);
MR_NO_GRADIENT(MutableHashTable);
MR_NO_GRADIENT(MutableHashTableV2);
MR_NO_GRADIENT(MutableHashTableOfTensors);
MR_NO_GRADIENT(MutableHashTableOfTensorsV2);

}  // namespace millrace::ops

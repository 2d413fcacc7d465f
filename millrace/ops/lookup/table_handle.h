// Tables behind handles: a string reference (first generation ops), a resource
// by name, or a resource that its handle owns (anonymous tables).
#pragma once

#include "millrace/kernel/kernel.h"
#include "millrace/ops/lookup/lookup_table.h"

namespace millrace::ops {

// Returns the table of input `i`, or NOT_FOUND if it does not exist any more.
StatusOr<Ref<LookupTable>> TableOfInput(KernelContext& ctx, int i);

// Returns INVALID_ARGUMENT "Signature mismatch, ..." unless the node has these
// types behind its handle.
Status CheckTableTypes(KernelContext& ctx,
                       std::initializer_list<DataType> inputs,
                       std::initializer_list<DataType> outputs);

}  // namespace millrace::ops

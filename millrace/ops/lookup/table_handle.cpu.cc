#include "millrace/ops/lookup/table_handle.h"

#include <algorithm>

#include "millrace/kernel/component_types.h"
#include "millrace/kernel/resource_handle.h"

namespace millrace::ops {

StatusOr<Ref<LookupTable>> TableOfInput(KernelContext& ctx, int i) {
  // This also returns the errors of handles that own nothing.
  MR_ASSIGN_OR_RETURN(const ResourcePlace place,
                      PlaceFromInput(ctx, i, LookupTable::kTypeName));
  if (Ref<LookupTable> owned = OwnedByInput<LookupTable>(ctx, i)) return owned;
  return ctx.resources().Lookup<LookupTable>(place.container, place.name);
}

Status CheckTableTypes(KernelContext& ctx,
                       std::initializer_list<DataType> inputs,
                       std::initializer_list<DataType> outputs) {
  const NodeInfo& node = ctx.node();
  if (std::equal(inputs.begin(), inputs.end(), node.input_types.begin() + 1,
                 node.input_types.end()) &&
      std::equal(outputs.begin(), outputs.end(), node.output_types.begin(),
                 node.output_types.end())) {
    return OkStatus();
  }
  DataTypeVector expected = {node.input_types[0]};
  expected.insert(expected.end(), inputs.begin(), inputs.end());
  return SignatureMismatch(node, expected, outputs);
}

}  // namespace millrace::ops

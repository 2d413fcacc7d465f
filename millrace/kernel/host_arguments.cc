#include "millrace/kernel/host_arguments.h"

#include <algorithm>

namespace millrace {
namespace {

StatusOr<std::vector<bool>> Find(const KernelTable::Row& row,
                                 const std::vector<ArgDef>& args,
                                 const AttrMap& attrs,
                                 const DataTypeVector& types) {
  std::vector<bool> host(types.size());
  for (const ArgDef& arg : args) {
    MR_ASSIGN_OR_RETURN(const ArgRange range,
                        FindArgRange(args, attrs, arg.name));
    for (int i = range.begin; i < range.end; ++i) {
      host[static_cast<size_t>(i)] =
          row.IsHost(arg.name, types[static_cast<size_t>(i)]);
    }
  }
  return host;
}

bool All(const std::vector<bool>& bits) {
  return std::find(bits.begin(), bits.end(), false) == bits.end();
}

bool UsesResource(const DataTypeVector& input_types) {
  return std::any_of(input_types.begin(), input_types.end(), [](DataType t) {
    return IsRef(t) || t == DataType::kResource;
  });
}

}  // namespace

StatusOr<PlacedKernel> FindPlacedKernel(const KernelTable& table,
                                        absl::string_view device_type,
                                        const OpDef& op, const AttrMap& attrs,
                                        const DataTypeVector& input_types,
                                        const DataTypeVector& output_types) {
  PlacedKernel placed;
  HostArguments& host = placed.host;
  const StatusOr<const KernelTable::Row*> row =
      table.FindRow(device_type, op, attrs);
  if (!row.ok()) {
    if (UsesResource(input_types) ||
        !table.Has(internal::kKernelDeviceCpu, op, attrs)) {
      return row.status();
    }
    host.inputs.assign(input_types.size(), true);
    host.outputs.assign(output_types.size(), true);
    host.all = host.all_int32 = host.in_variants = true;
    MR_ASSIGN_OR_RETURN(placed.entry,
                        table.Find(internal::kKernelDeviceCpu, op, attrs));
    return placed;
  }
  placed.entry = (*row)->entry;
  MR_ASSIGN_OR_RETURN(host.inputs, Find(**row, op.inputs, attrs, input_types));
  MR_ASSIGN_OR_RETURN(host.outputs,
                      Find(**row, op.outputs, attrs, output_types));
  if (placed.entry->make == OnHost) {
    host.all = All(host.inputs) && All(host.outputs);
    host.all_int32 = (*row)->IsHost("", DataType::kInt32);
    host.in_variants = absl::string_view(placed.entry->host) == "*";
    MR_ASSIGN_OR_RETURN(placed.entry,
                        table.Find(internal::kKernelDeviceCpu, op, attrs));
  }
  return placed;
}

}  // namespace millrace

#include "millrace/ops/lookup/table_kernel.h"

namespace millrace::ops {

StatusOr<TableTypes> TableTypes::From(const KernelInit& init) {
  TableTypes types;
  MR_ASSIGN_OR_RETURN(types.key, init.Attr<DataType>("key_dtype"));
  MR_ASSIGN_OR_RETURN(types.value, init.Attr<DataType>("value_dtype"));
  return types;
}

Status TableTypes::Check(const LookupTable& table,
                         const std::string& name) const {
  const LookupTable::Signature& have = table.signature();
  if (have.key_dtype == key && have.value_dtype == value) return OkStatus();
  return InvalidArgument("Conflicting key/value dtypes ", DataTypeName(key),
                         "->", DataTypeName(value), " with ",
                         DataTypeName(have.key_dtype), "-",
                         DataTypeName(have.value_dtype), " for table ", name);
}

StatusOr<TensorShape> TableValueShape(const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(const PartialShape shape,
                      init.Attr<PartialShape>("value_shape"));
  return shape.AsTensorShape();
}

}  // namespace millrace::ops

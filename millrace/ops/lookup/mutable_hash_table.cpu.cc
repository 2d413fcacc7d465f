#include "millrace/ops/lookup/mutable_table.h"
#include "millrace/ops/lookup/table_kernel.h"

namespace millrace::ops {
namespace {

// The form of a table's values.
enum class TableValues { kScalars, kVectors };

template <TableValues kValues>
struct MutableTableMaker {
  static StatusOr<MutableTableMaker> From(const KernelInit& init) {
    MutableTableMaker m;
    MR_ASSIGN_OR_RETURN(m.types, TableTypes::From(init));
    if constexpr (kValues == TableValues::kVectors) {
      MR_ASSIGN_OR_RETURN(m.value_shape, TableValueShape(init));
    }
    return m;
  }
  StatusOr<Ref<LookupTable>> Make(KernelContext&,
                                  const std::string& name) const {
    if (kValues == TableValues::kVectors && value_shape.rank() != 1) {
      return InvalidArgument("Default value must be a vector, got shape ",
                             value_shape.DebugString());
    }
    return Ref<LookupTable>(
        MakeRef<MutableTable>(types.key, types.value, value_shape, name));
  }

  TableTypes types;
  TensorShape value_shape;
};

using Scalars = MutableTableMaker<TableValues::kScalars>;
using Vectors = MutableTableMaker<TableValues::kVectors>;

// Returns the pairs of types that stock has, by key type.
constexpr KernelEntries TablesOfScalars(KernelMaker make) {
  return {
      TableEntry(make, "key_dtype: int32; value_dtype: double, float, int32"),
      TableEntry(make,
                 "key_dtype: int64; value_dtype: double, float, int32, "
                 "int64, string, variant"),
      TableEntry(make,
                 "key_dtype: string; value_dtype: bool, double, float, "
                 "int32, int64")};
}

constexpr KernelEntries TablesOfVectors(KernelMaker make) {
  return {
      TableEntry(make, "key_dtype: int32; value_dtype: double, float, int32"),
      TableEntry(make,
                 "key_dtype: int64; value_dtype: double, float, int32, "
                 "int64, string"),
      TableEntry(make,
                 "key_dtype: string; value_dtype: bool, double, float, "
                 "int32, int64")};
}

constexpr KernelEntries kTableOfScalars =
    TablesOfScalars(MakeKernel<TableKernel<Scalars>>);
constexpr KernelEntries kTableOfVectors =
    TablesOfVectors(MakeKernel<TableKernel<Vectors>>);

}  // namespace

MR_KERNELS(MutableHashTable, Cpu)(kTableOfScalars);
MR_KERNELS(MutableHashTableV2, Cpu)(kTableOfScalars);
MR_KERNELS(AnonymousMutableHashTable, Cpu)
(TablesOfScalars(MakeKernel<AnonymousTableKernel<Scalars>>));
MR_KERNELS(MutableHashTableOfTensors, Cpu)(kTableOfVectors);
MR_KERNELS(MutableHashTableOfTensorsV2, Cpu)(kTableOfVectors);
MR_KERNELS(AnonymousMutableHashTableOfTensors, Cpu)
(TablesOfVectors(MakeKernel<AnonymousTableKernel<Vectors>>));

}  // namespace millrace::ops

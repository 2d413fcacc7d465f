#include "millrace/ops/lookup/static_table.h"
#include "millrace/ops/lookup/table_kernel.h"

namespace millrace::ops {
namespace {

struct StaticTableMaker {
  static StatusOr<StaticTableMaker> From(const KernelInit& init) {
    StaticTableMaker m;
    MR_ASSIGN_OR_RETURN(m.types, TableTypes::From(init));
    return m;
  }
  StatusOr<Ref<LookupTable>> Make(KernelContext&,
                                  const std::string& name) const {
    return Ref<LookupTable>(MakeRef<StaticTable>(types.key, types.value, name));
  }

  TableTypes types;
};

// Returns the pairs of types that stock has, by key type.
constexpr KernelEntries StaticTables(KernelMaker make) {
  return {TableEntry(make,
                     "key_dtype: int32; value_dtype: double, float, int32, "
                     "string"),
          TableEntry(make,
                     "key_dtype: int64; value_dtype: double, float, int32, "
                     "int64, string"),
          TableEntry(make,
                     "key_dtype: string; value_dtype: bool, double, float, "
                     "int32, int64, string")};
}

constexpr KernelEntries kStaticTable =
    StaticTables(MakeKernel<TableKernel<StaticTableMaker>>);

}  // namespace

MR_KERNELS(HashTable, Cpu)(kStaticTable);
MR_KERNELS(HashTableV2, Cpu)(kStaticTable);
MR_KERNELS(AnonymousHashTable, Cpu)
(StaticTables(MakeKernel<AnonymousTableKernel<StaticTableMaker>>));

}  // namespace millrace::ops

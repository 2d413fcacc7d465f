#include "millrace/ops/lookup/dense_table.h"
#include "millrace/ops/lookup/table_kernel.h"

namespace millrace::ops {
namespace {

struct DenseTableMaker {
  static StatusOr<DenseTableMaker> From(const KernelInit& init) {
    DenseTableMaker m;
    MR_ASSIGN_OR_RETURN(m.types, TableTypes::From(init));
    DenseTable::Options& o = m.options;
    o.key_dtype = m.types.key;
    o.value_dtype = m.types.value;
    MR_ASSIGN_OR_RETURN(o.value_shape, TableValueShape(init));
    MR_ASSIGN_OR_RETURN(o.initial_buckets,
                        init.Attr<int64_t>("initial_num_buckets"));
    MR_ASSIGN_OR_RETURN(o.max_load_factor, init.Attr<float>("max_load_factor"));
    return m;
  }
  // Input 0 is the empty key. Input 1 is the deleted key, which
  // MutableDenseHashTable does not have.
  StatusOr<Ref<LookupTable>> Make(KernelContext& ctx,
                                  const std::string& name) const {
    MR_ASSIGN_OR_RETURN(
        Ref<DenseTable> table,
        DenseTable::Make(ctx, options, ctx.input(0),
                         ctx.num_inputs() > 1 ? ctx.input(1) : Tensor(), name));
    return Ref<LookupTable>(std::move(table));
  }

  TableTypes types;
  DenseTable::Options options;
};

// Returns the pairs of types that stock has, by key type.
constexpr KernelEntries DenseTables(KernelMaker make) {
  return {
      TableEntry(make, "key_dtype: int32; value_dtype: double, float, int32"),
      TableEntry(make,
                 "key_dtype: int64; value_dtype: bool, double, float, "
                 "int32, int64, variant"),
      TableEntry(make,
                 "key_dtype: string; value_dtype: bool, double, float, "
                 "int32, int64, resource")};
}

constexpr KernelEntries kDenseTable =
    DenseTables(MakeKernel<TableKernel<DenseTableMaker>>);

}  // namespace

MR_KERNELS(MutableDenseHashTable, Cpu)(kDenseTable);
MR_KERNELS(MutableDenseHashTableV2, Cpu)(kDenseTable);
MR_KERNELS(AnonymousMutableDenseHashTable, Cpu)
(DenseTables(MakeKernel<AnonymousTableKernel<DenseTableMaker>>));

}  // namespace millrace::ops

// Kernels of nodes that use tables.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/lookup/table_handle.h"

namespace millrace::ops {
namespace {

Status RunFind(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<LookupTable> table, TableOfInput(ctx, 0));
  const LookupTable::Signature& s = table->signature();
  MR_RETURN_IF_ERROR(
      CheckTableTypes(ctx, {s.key_dtype, s.value_dtype}, {s.value_dtype}));
  const Tensor& keys = ctx.input(1);
  MR_RETURN_IF_ERROR(table->CheckFind(keys, ctx.input(2)));
  MR_ASSIGN_OR_RETURN(TensorShape shape, table->ValuesShape(keys));
  MR_ASSIGN_OR_RETURN(Tensor* const values,
                      ctx.AllocateOutput(0, std::move(shape)));
  return table->Find(ctx, keys, ctx.input(2), values);
}

Status RunInsert(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<LookupTable> table, TableOfInput(ctx, 0));
  const LookupTable::Signature& s = table->signature();
  MR_RETURN_IF_ERROR(CheckTableTypes(ctx, {s.key_dtype, s.value_dtype}, {}));
  MR_RETURN_IF_ERROR(table->CheckInsert(ctx.input(1), ctx.input(2)));
  return table->Insert(ctx, ctx.input(1), ctx.input(2));
}

Status RunRemove(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<LookupTable> table, TableOfInput(ctx, 0));
  MR_RETURN_IF_ERROR(CheckTableTypes(ctx, {table->signature().key_dtype}, {}));
  MR_RETURN_IF_ERROR(table->CheckKeys(ctx.input(1)));
  return table->Remove(ctx, ctx.input(1));
}

Status RunSize(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<LookupTable> table, TableOfInput(ctx, 0));
  ctx.set_output(0, Tensor::Scalar<int64_t>(table->size()));
  return OkStatus();
}

Status RunExport(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<LookupTable> table, TableOfInput(ctx, 0));
  const LookupTable::Signature& s = table->signature();
  MR_RETURN_IF_ERROR(CheckTableTypes(ctx, {}, {s.key_dtype, s.value_dtype}));
  return table->Export(ctx, ctx.output(0), ctx.output(1));
}

Status RunImport(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<LookupTable> table, TableOfInput(ctx, 0));
  const LookupTable::Signature& s = table->signature();
  MR_RETURN_IF_ERROR(CheckTableTypes(ctx, {s.key_dtype, s.value_dtype}, {}));
  MR_RETURN_IF_ERROR(table->CheckImport(ctx.input(1), ctx.input(2)));
  return table->Import(ctx, ctx.input(1), ctx.input(2));
}

// Both generations of an op share an entry.
constexpr KernelEntry kFind = {.make = MakeFunctionKernel<RunFind>,
                               .host = "table_handle"};
constexpr KernelEntry kInsert = {.make = MakeFunctionKernel<RunInsert>,
                                 .host = "table_handle"};
constexpr KernelEntry kRemove = {.make = MakeFunctionKernel<RunRemove>,
                                 .host = "table_handle"};
constexpr KernelEntry kSize = {.make = MakeFunctionKernel<RunSize>,
                               .host = "table_handle, size",
                               .cheap = true};
constexpr KernelEntry kExport = {.make = MakeFunctionKernel<RunExport>,
                                 .host = "table_handle"};
constexpr KernelEntry kImport = {.make = MakeFunctionKernel<RunImport>,
                                 .host = "table_handle"};

}  // namespace

MR_KERNELS(LookupTableFind, Cpu){kFind};
MR_KERNELS(LookupTableFindV2, Cpu){kFind};
MR_KERNELS(LookupTableInsert, Cpu){kInsert};
MR_KERNELS(LookupTableInsertV2, Cpu){kInsert};
MR_KERNELS(LookupTableRemoveV2, Cpu){kRemove};
MR_KERNELS(LookupTableSize, Cpu){kSize};
MR_KERNELS(LookupTableSizeV2, Cpu){kSize};
MR_KERNELS(LookupTableExport, Cpu){kExport};
MR_KERNELS(LookupTableExportV2, Cpu){kExport};
MR_KERNELS(LookupTableImport, Cpu){kImport};
MR_KERNELS(LookupTableImportV2, Cpu){kImport};

}  // namespace millrace::ops

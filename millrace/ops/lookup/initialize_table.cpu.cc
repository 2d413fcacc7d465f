// Kernels of nodes that fill static tables.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/resource_handle.h"
#include "millrace/ops/io/blocking.h"
#include "millrace/ops/lookup/static_table.h"
#include "millrace/ops/lookup/table_handle.h"
#include "millrace/ops/lookup/vocabulary_file.h"

namespace millrace::ops {
namespace {

StatusOr<Ref<StaticTable>> StaticTableOfInput(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<LookupTable> table, TableOfInput(ctx, 0));
  if (auto* const found = dynamic_cast<StaticTable*>(table.get())) {
    return Ref<StaticTable>::Share(found);
  }
  MR_ASSIGN_OR_RETURN(const ResourcePlace place,
                      PlaceFromInput(ctx, 0, LookupTable::kTypeName));
  return InvalidArgument("Table ", place.container, " ", place.name,
                         " is not initializable");
}

Status RunInitialize(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<StaticTable> table, StaticTableOfInput(ctx));
  const LookupTable::Signature& s = table->signature();
  MR_RETURN_IF_ERROR(CheckTableTypes(ctx, {s.key_dtype, s.value_dtype}, {}));
  const Tensor& keys = ctx.input(1);
  const Tensor& values = ctx.input(2);
  if (keys.rank() != 1) {
    return InvalidArgument("Keys must be a vector, but received shape",
                           keys.shape().DebugString());
  }
  if (values.rank() != 1) {
    return InvalidArgument("Values must be a vector, but received shape",
                           values.shape().DebugString());
  }
  if (keys.num_elements() != values.num_elements()) {
    return InvalidArgument("Keys and values must have the same size ",
                           keys.num_elements(), " vs ", values.num_elements());
  }
  return table->Import(ctx, keys, values);
}

class FromTextFileKernel {
 public:
  static StatusOr<FromTextFileKernel> Make(const KernelInit& init) {
    FromTextFileKernel k;
    MR_ASSIGN_OR_RETURN(k.format_, VocabularyFormat::From(init));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    RunBlocking(ctx, std::move(done), [this, &ctx]() -> Status {
      MR_ASSIGN_OR_RETURN(const Ref<StaticTable> table,
                          StaticTableOfInput(ctx));
      const Tensor& name = ctx.input(1);
      if (name.rank() != 0) {
        return InvalidArgument("filename should be a single string, but got ",
                               name.shape().DebugString());
      }
      const std::string file = name.scalar<StringElement>().str();
      if (file.empty()) return InvalidArgument("filename cannot be empty.");
      return InitializeFromFile(ctx, format_, file, *table);
    });
  }

 private:
  VocabularyFormat format_;
};

// Both generations of an op share an entry.
constexpr KernelEntry kInitialize = {.make = MakeFunctionKernel<RunInitialize>,
                                     .host = "table_handle"};
constexpr KernelEntry kFromTextFile = {.make = MakeKernel<FromTextFileKernel>,
                                       .host = "table_handle, filename"};

}  // namespace

MR_KERNELS(InitializeTable, Cpu){kInitialize};
MR_KERNELS(InitializeTableV2, Cpu){kInitialize};
MR_KERNELS(InitializeTableFromTextFile, Cpu){kFromTextFile};
MR_KERNELS(InitializeTableFromTextFileV2, Cpu){kFromTextFile};

}  // namespace millrace::ops

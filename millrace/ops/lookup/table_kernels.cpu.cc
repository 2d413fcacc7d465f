// Kernels of nodes that make tables.
#include <optional>

#include "millrace/base/threads/thread.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/lookup/dense_table.h"
#include "millrace/ops/lookup/mutable_table.h"
#include "millrace/ops/lookup/static_table.h"
#include "millrace/ops/queue/resource_handle.h"

namespace millrace::ops {
namespace {

// What a node makes: its table, of the kind that the op's name says.
class TableMaker {
 public:
  static StatusOr<TableMaker> From(const KernelInit& init) {
    TableMaker m;
    const absl::string_view op = init.node().op->name;
    const auto says = [&](absl::string_view word) {
      return op.find(word) != absl::string_view::npos;
    };
    m.kind_ = says("Dense")     ? Kind::kDense
              : says("Mutable") ? Kind::kMutable
                                : Kind::kStatic;
    m.needs_vector_ = says("OfTensors");
    DenseTable::Options& o = m.options_;
    MR_ASSIGN(o.key_dtype, init.Attr<DataType>("key_dtype"));
    MR_ASSIGN(o.value_dtype, init.Attr<DataType>("value_dtype"));
    if (init.HasAttr("value_shape")) {
      MR_ASSIGN(const PartialShape shape,
                init.Attr<PartialShape>("value_shape"));
      MR_ASSIGN(o.value_shape, shape.AsTensorShape());
    }
    if (m.kind_ == Kind::kDense) {
      MR_ASSIGN(o.initial_buckets, init.Attr<int64_t>("initial_num_buckets"));
      MR_ASSIGN(o.max_load_factor, init.Attr<float>("max_load_factor"));
    }
    return m;
  }

  StatusOr<Ref<LookupTable>> Make(KernelContext& ctx,
                                  const std::string& name) const {
    const DenseTable::Options& o = options_;
    switch (kind_) {
      case Kind::kStatic:
        return Ref<LookupTable>(
            MakeRef<StaticTable>(o.key_dtype, o.value_dtype, name));
      case Kind::kMutable:
        if (needs_vector_ && o.value_shape.rank() != 1) {
          return InvalidArgument("Default value must be a vector, got shape ",
                                 o.value_shape.DebugString());
        }
        return Ref<LookupTable>(MakeRef<MutableTable>(
            o.key_dtype, o.value_dtype, o.value_shape, name));
      case Kind::kDense:
        break;
    }
    MR_ASSIGN(
        Ref<DenseTable> table,
        DenseTable::Make(ctx, o, ctx.input(0),
                         ctx.num_inputs() > 1 ? ctx.input(1) : Tensor(), name));
    return Ref<LookupTable>(std::move(table));
  }

  // Who shares a table by its name must mean the same types.
  Status Check(const LookupTable& table, const std::string& name) const {
    const LookupTable::Signature& have = table.signature();
    if (have.key_dtype == options_.key_dtype &&
        have.value_dtype == options_.value_dtype) {
      return OkStatus();
    }
    return InvalidArgument("Conflicting key/value dtypes ",
                           DataTypeName(options_.key_dtype), "->",
                           DataTypeName(options_.value_dtype), " with ",
                           DataTypeName(have.key_dtype), "-",
                           DataTypeName(have.value_dtype), " for table ", name);
  }

 private:
  enum class Kind { kStatic, kMutable, kDense };
  Kind kind_ = Kind::kStatic;
  bool needs_vector_ = false;
  DenseTable::Options options_;  // the last two of dense tables only
};

// A table by container and name. Dense tables are made from inputs, so none is
// made before the node first runs.
class TableKernel {
 public:
  static StatusOr<std::unique_ptr<TableKernel>> Make(const KernelInit& init) {
    MR_ASSIGN(TableMaker maker, TableMaker::From(init));
    MR_ASSIGN(ResourcePlace place, PlaceOf(init));
    MR_ASSIGN(const bool by_node, init.Attr<bool>("use_node_name_sharing"));
    if (place.is_private && by_node) {
      place.is_private = false;
      place.name = init.node().name;
    }
    auto kernel = std::unique_ptr<TableKernel>(
        new TableKernel(init, std::move(maker), std::move(place)));
    if (!kernel->place_.is_private) kernel->SetOutput();
    return kernel;
  }
  ~TableKernel() {
    if (!place_.is_private || !output_) return;
    // Not there any more after a reset.
    (void)store_.Delete(place_.container, place_.name, LookupTable::kTypeName);
  }

  Status Run(KernelContext& ctx) const {
    MutexLock lock(mu_);
    if (!output_) {
      MR_RETURN_IF_ERROR(MakePrivate(ctx));
    } else {
      // A container may have been reset since the last run.
      MR_ASSIGN(const Ref<LookupTable> table, FindOrMake(ctx));
      MR_RETURN_IF_ERROR(maker_.Check(*table, place_.name));
    }
    output_->Set(ctx);
    return OkStatus();
  }

 private:
  TableKernel(const KernelInit& init, TableMaker maker, ResourcePlace place)
      : store_(init.device().resources()),
        init_(init.node(), init.device(), nullptr),
        maker_(std::move(maker)),
        place_(std::move(place)) {}

  void SetOutput() const {
    output_.emplace(init_, place_, LookupTable::kTypeName);
  }

  Status MakePrivate(KernelContext& ctx) const {
    place_.name = PrivateName(init_.node().name, store_.NextNumber());
    MR_ASSIGN(Ref<LookupTable> table, maker_.Make(ctx, place_.name));
    MR_RETURN_IF_ERROR(
        store_.Create(place_.container, place_.name, std::move(table)));
    SetOutput();
    return OkStatus();
  }

  // The table is made outside the store's lock, since that may take long.
  StatusOr<Ref<LookupTable>> FindOrMake(KernelContext& ctx) const {
    auto found = store_.Lookup<LookupTable>(place_.container, place_.name);
    if (found.status().code() != StatusCode::kNotFound) return found;
    MR_ASSIGN(Ref<LookupTable> made, maker_.Make(ctx, place_.name));
    return store_.LookupOrCreate<LookupTable>(
        place_.container, place_.name,
        [&]() -> StatusOr<Ref<LookupTable>> { return made; });
  }

  ResourceStore& store_;
  const KernelInit init_;  // its node outlives the kernel
  const TableMaker maker_;
  mutable Mutex mu_;
  // Guarded by mu_; what has an output has a name.
  mutable ResourcePlace place_;
  mutable std::optional<HandleOutput> output_;
};

// A new table for each run, which its handle owns.
class AnonymousTableKernel {
 public:
  static StatusOr<AnonymousTableKernel> Make(const KernelInit& init) {
    AnonymousTableKernel k;
    MR_ASSIGN(k.maker_, TableMaker::From(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN(Ref<LookupTable> table, maker_.Make(ctx, ctx.node().name));
    ctx.set_output(0, Tensor::Scalar<ResourceElement>(
                          OwningHandle(ctx, "Anonymous", ctx.node().name,
                                       LookupTable::kTypeName, table)));
    return OkStatus();
  }

 private:
  TableMaker maker_;
};

// The pairs of types that stock has, by key type.
constexpr KernelEntry Entry(KernelMaker make, const char* types) {
  return {.types = types, .make = make, .host = "table_handle", .cheap = false};
}
constexpr KernelEntries Static(KernelMaker make) {
  return {Entry(make,
                "key_dtype: int32; value_dtype: double, float, int32, "
                "string"),
          Entry(make,
                "key_dtype: int64; value_dtype: double, float, int32, "
                "int64, string"),
          Entry(make,
                "key_dtype: string; value_dtype: bool, double, float, "
                "int32, int64, string")};
}
constexpr KernelEntries Mutable(KernelMaker make) {
  return {Entry(make, "key_dtype: int32; value_dtype: double, float, int32"),
          Entry(make,
                "key_dtype: int64; value_dtype: double, float, int32, "
                "int64, string, variant"),
          Entry(make,
                "key_dtype: string; value_dtype: bool, double, float, "
                "int32, int64")};
}
constexpr KernelEntries OfTensors(KernelMaker make) {
  return {Entry(make, "key_dtype: int32; value_dtype: double, float, int32"),
          Entry(make,
                "key_dtype: int64; value_dtype: double, float, int32, "
                "int64, string"),
          Entry(make,
                "key_dtype: string; value_dtype: bool, double, float, "
                "int32, int64")};
}
constexpr KernelEntries Dense(KernelMaker make) {
  return {Entry(make, "key_dtype: int32; value_dtype: double, float, int32"),
          Entry(make,
                "key_dtype: int64; value_dtype: bool, double, float, "
                "int32, int64, variant"),
          Entry(make,
                "key_dtype: string; value_dtype: bool, double, float, "
                "int32, int64, resource")};
}

}  // namespace

MR_KERNELS(HashTable, Cpu)(Static(MakeKernel<TableKernel>));
MR_KERNELS(HashTableV2, Cpu)(Static(MakeKernel<TableKernel>));
MR_KERNELS(AnonymousHashTable, Cpu)(Static(MakeKernel<AnonymousTableKernel>));
MR_KERNELS(MutableHashTable, Cpu)(Mutable(MakeKernel<TableKernel>));
MR_KERNELS(MutableHashTableV2, Cpu)(Mutable(MakeKernel<TableKernel>));
MR_KERNELS(AnonymousMutableHashTable, Cpu)
(Mutable(MakeKernel<AnonymousTableKernel>));
MR_KERNELS(MutableHashTableOfTensors, Cpu)(OfTensors(MakeKernel<TableKernel>));
MR_KERNELS(MutableHashTableOfTensorsV2, Cpu)
(OfTensors(MakeKernel<TableKernel>));
MR_KERNELS(AnonymousMutableHashTableOfTensors, Cpu)
(OfTensors(MakeKernel<AnonymousTableKernel>));
MR_KERNELS(MutableDenseHashTable, Cpu)(Dense(MakeKernel<TableKernel>));
MR_KERNELS(MutableDenseHashTableV2, Cpu)(Dense(MakeKernel<TableKernel>));
MR_KERNELS(AnonymousMutableDenseHashTable, Cpu)
(Dense(MakeKernel<AnonymousTableKernel>));

}  // namespace millrace::ops

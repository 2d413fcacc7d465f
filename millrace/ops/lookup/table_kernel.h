// Kernels of nodes that make tables.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "millrace/base/threads/thread.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/resource_handle.h"
#include "millrace/ops/lookup/lookup_table.h"

namespace millrace::ops {

// The types that a node states for its table.
struct TableTypes {
  static StatusOr<TableTypes> From(const KernelInit& init);
  // Nodes that share a table by name must agree on the types; else returns
  // INVALID_ARGUMENT "Conflicting key/value dtypes ...".
  Status Check(const LookupTable& table, const std::string& name) const;

  DataType key = DataType::kInvalid;
  DataType value = DataType::kInvalid;
};

// Returns the attribute value_shape, or INVALID_ARGUMENT if it is not fully
// known.
StatusOr<TensorShape> TableValueShape(const KernelInit& init);

// The kernels below make a table by a class Maker with these members:
//   static StatusOr<Maker> From(const KernelInit&);
//   StatusOr<Ref<LookupTable>> Make(KernelContext&, const std::string& name)
//       const;
//   TableTypes types;

// Makes a table by container and name. A dense table is made from inputs, so no
// table is made before the node first runs.
template <class Maker>
class TableKernel {
 public:
  static StatusOr<std::unique_ptr<TableKernel>> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(Maker maker, Maker::From(init));
    MR_ASSIGN_OR_RETURN(ResourcePlace place, PlaceOf(init));
    MR_ASSIGN_OR_RETURN(const bool by_node,
                        init.Attr<bool>("use_node_name_sharing"));
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
    // Fails if a reset has removed the table.
    (void)store_.Delete(place_.container, place_.name, LookupTable::kTypeName);
  }

  Status Run(KernelContext& ctx) const {
    MutexLock lock(mu_);
    if (!output_) {
      MR_RETURN_IF_ERROR(MakePrivate(ctx));
    } else {
      // A container may have been reset since the last run.
      MR_ASSIGN_OR_RETURN(const Ref<LookupTable> table, FindOrMake(ctx));
      MR_RETURN_IF_ERROR(maker_.types.Check(*table, place_.name));
    }
    output_->Set(ctx);
    return OkStatus();
  }

 private:
  TableKernel(const KernelInit& init, Maker maker, ResourcePlace place)
      : store_(init.device().resources()),
        init_(init.node(), init.device(), nullptr),
        maker_(std::move(maker)),
        place_(std::move(place)) {}

  void SetOutput() const {
    output_.emplace(init_, place_, LookupTable::kTypeName);
  }

  Status MakePrivate(KernelContext& ctx) const {
    place_.name = PrivateName(init_.node().name, store_.NextNumber());
    MR_ASSIGN_OR_RETURN(Ref<LookupTable> table, maker_.Make(ctx, place_.name));
    MR_RETURN_IF_ERROR(
        store_.Create(place_.container, place_.name, std::move(table)));
    SetOutput();
    return OkStatus();
  }

  // Makes the table outside of the store's lock, since that may take long.
  StatusOr<Ref<LookupTable>> FindOrMake(KernelContext& ctx) const {
    auto found = store_.Lookup<LookupTable>(place_.container, place_.name);
    if (found.status().code() != StatusCode::kNotFound) return found;
    MR_ASSIGN_OR_RETURN(Ref<LookupTable> made, maker_.Make(ctx, place_.name));
    return store_.LookupOrCreate<LookupTable>(
        place_.container, place_.name,
        [&]() -> StatusOr<Ref<LookupTable>> { return made; });
  }

  ResourceStore& store_;
  const KernelInit init_;  // its node outlives the kernel
  const Maker maker_;
  mutable Mutex mu_;
  // Guarded by mu_; if there is an output, there is a name.
  mutable ResourcePlace place_;
  mutable std::optional<HandleOutput> output_;
};

// Makes a new table in each run; its handle owns it.
template <class Maker>
class AnonymousTableKernel {
 public:
  static StatusOr<AnonymousTableKernel> Make(const KernelInit& init) {
    AnonymousTableKernel k;
    MR_ASSIGN_OR_RETURN(k.maker_, Maker::From(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(Ref<LookupTable> table,
                        maker_.Make(ctx, ctx.node().name));
    ctx.set_output(0, Tensor::Scalar<ResourceElement>(
                          OwningHandle(ctx, "Anonymous", ctx.node().name,
                                       LookupTable::kTypeName, table)));
    return OkStatus();
  }

 private:
  Maker maker_;
};

// Returns an entry for these pairs of types.
constexpr KernelEntry TableEntry(KernelMaker make, const char* types) {
  return {.types = types, .make = make, .host = "table_handle"};
}

}  // namespace millrace::ops

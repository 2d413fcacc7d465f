// Kernels that save the state of an iterator as a variant, from which another
// iterator over the same data set continues.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/data/iterator_resource.h"

namespace millrace::ops {
namespace {

// A saved state. Immutable.
class SavedIterator final : public VariantValue {
 public:
  static constexpr absl::string_view kTypeName = "tensorflow::Iterator";

  explicit SavedIterator(StateMap s) : state(std::move(s)) {}
  absl::string_view type_name() const override { return kTypeName; }

  const StateMap state;
};

class SerializeKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    const auto iterator = IteratorOfInput(ctx, 0);
    if (!iterator.ok()) return std::move(done)(iterator.status());
    auto state = std::make_shared<StateMap>();
    StateMap* const to = state.get();
    (*iterator)->Save(ctx, to,
                      Done([state = std::move(state), &ctx,
                            done = std::move(done)](Status status) mutable {
                        if (status.ok()) {
                          const VariantElement saved =
                              MakeRef<SavedIterator>(std::move(*state));
                          ctx.set_output(
                              0, Tensor::Vector<VariantElement>({saved}));
                        }
                        std::move(done)(std::move(status));
                      }));
  }
};

Status Deserialize(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<IteratorResource> iterator,
                      IteratorOfInput(ctx, 0));
  const Tensor& t = ctx.input(1);
  if (t.rank() != 1) {
    return InvalidArgument("serialized must be a vector");
  }
  if (t.num_elements() != 1 || t.flat<VariantElement>()[0] == nullptr ||
      t.flat<VariantElement>()[0]->type_name() != SavedIterator::kTypeName) {
    return Internal("Cannot initialize an iterator from tensor ",
                    t.DebugString(),
                    ". Expected a variant tensor that SerializeIterator gave");
  }
  const auto& saved =
      static_cast<const SavedIterator&>(*t.flat<VariantElement>()[0]);
  return Annotate(
      Prefix("Failed to restore dataset iterator from checkpoint: ",
             iterator->Restore(ctx, saved.state)),
      ". Make sure the dataset definition has not changed between the process "
      "that saved the checkpoint and the process that is restoring it.");
}

}  // namespace

MR_KERNELS(SerializeIterator, Cpu){{.make = MakeKernel<SerializeKernel>}};
MR_KERNELS(DeserializeIterator, Cpu){{.make = MakeFunctionKernel<Deserialize>}};

}  // namespace millrace::ops

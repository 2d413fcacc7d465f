// Kernels that save the state of an iterator as a variant, from which another
// iterator over the same data set continues, also one of another task or of a
// later run of the program.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/data/iterator_resource.h"
#include "millrace/tensor/variant/iterator_state_value.h"

namespace millrace::ops {
namespace {

class SerializeKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    const auto iterator = IteratorOfInput(ctx, 0);
    if (!iterator.ok()) return std::move(done)(iterator.status());
    auto state = std::make_shared<VariantElement>();
    VariantElement* const to = state.get();
    (*iterator)->Save(ctx, to,
                      Done([state = std::move(state), &ctx,
                            done = std::move(done)](Status status) mutable {
                        if (status.ok()) {
                          ctx.set_output(
                              0, Tensor::Vector<VariantElement>({*state}));
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
      t.flat<VariantElement>()[0]->type_name() !=
          IteratorStateValue::kTypeName) {
    return Internal("Cannot initialize an iterator from tensor ",
                    t.DebugString(),
                    ". Expected a variant tensor that SerializeIterator gave");
  }
  auto state = Ref<const IteratorStateValue>::Share(
      static_cast<const IteratorStateValue*>(
          t.flat<VariantElement>()[0].get()));
  return Annotate(
      Prefix("Failed to restore dataset iterator from checkpoint: ",
             iterator->Restore(ctx, std::move(state))),
      ". Make sure the dataset definition has not changed between the process "
      "that saved the checkpoint and the process that is restoring it.");
}

}  // namespace

MR_KERNELS(SerializeIterator, Cpu){{.make = MakeKernel<SerializeKernel>}};
MR_KERNELS(DeserializeIterator, Cpu){{.make = MakeFunctionKernel<Deserialize>}};

}  // namespace millrace::ops

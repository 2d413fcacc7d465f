#include "millrace/ops/fused/unary_chain.h"

#include <algorithm>
#include <string>
#include <vector>

#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/float_blocks.h"

namespace millrace::ops {
namespace {

const UnaryTable* FindTable(absl::string_view op) {
  for (const auto& list :
       {ArithmeticUnaries(), ExponentialUnaries(), TrigonometricUnaries(),
        ActivationUnaries(), RectifierUnaries()}) {
    for (const NamedUnary& unary : list) {
      if (op == unary.op) return unary.table;
    }
  }
  return nullptr;
}

// A block stays in the first-level cache while all ops pass over it.
class UnaryChainKernel {
 public:
  static StatusOr<UnaryChainKernel> Make(const KernelInit& init) {
    UnaryChainKernel k;
    MR_ASSIGN_OR_RETURN(const auto names,
                        init.Attr<std::vector<std::string>>("op_names"));
    if (names.empty()) {
      return InvalidArgument("Unary op composition must have at least one op");
    }
    const DataType type = init.input_type(0);
    const DataType computed = ComputesInFloat(type) ? DataType::kFloat : type;
    for (const std::string& name : names) {
      const UnaryTable* table = FindTable(name);
      const UnaryLoop loop = table == nullptr
                                 ? nullptr
                                 : table->loops[static_cast<size_t>(computed)];
      if (loop == nullptr) {
        return InvalidArgument(
            "Do not have a compute function registered for "
            "op: ",
            name);
      }
      k.loops_.push_back(loop);
      k.cost_picos_ += table->cost_picos;
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    const DataType type = x.dtype();
    const auto bytes = static_cast<int64_t>(SizeOf(type));
    const char* from = x.data();
    char* to = out->mutable_data();
    return ShardElements(
        ctx, x.num_elements(), cost_picos_, [&](int64_t begin, int64_t end) {
          float room[kFloatBlock];
          for (int64_t at = begin; at < end; at += kFloatBlock) {
            const int64_t n = std::min(kFloatBlock, end - at);
            const void* in = from + at * bytes;
            void* result = to + at * bytes;
            void* z = result;
            if (ComputesInFloat(type)) {
              ToFloats(type, in, room, n);
              in = z = room;
            }
            for (const UnaryLoop loop : loops_) {
              loop(in, z, n);
              in = z;
            }
            if (z == room) FromFloats(type, room, result, n);
          }
        });
  }

 private:
  std::vector<UnaryLoop> loops_;
  int64_t cost_picos_ = 0;
};

}  // namespace

MR_KERNELS(_UnaryOpsComposition, Cpu){
    {.types = "T: float, half, double", .make = MakeKernel<UnaryChainKernel>}};

}  // namespace millrace::ops

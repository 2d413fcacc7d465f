// Elementwise ops that run together, in one pass over memory (fused_blocks.h).
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/math/elementwise.h"
#include "millrace/ops/math/fused_blocks.h"
#include "millrace/ops/math/fused_kernels.h"

namespace millrace::ops {
namespace {

// A result of one element.
struct alignas(16) OneElement {
  char bytes[16];
};

// The plain case: every input has either one element or the shape of the
// others, so each result has, too. All else runs op by op.
class FusedElementwiseKernel {
 public:
  static StatusOr<FusedElementwiseKernel> Make(const KernelInit& init) {
    FusedElementwiseKernel k;
    MR_ASSIGN(k.kernels_, FusedKernels::Make(init));
    k.num_inputs_ = init.num_inputs();
    const FusedNodes& nodes = k.kernels_.nodes();
    for (size_t n = 0; n < nodes.size(); ++n) {
      const KernelEntry& entry = k.kernels_.entry(n);
      const NodeInfo& info = k.kernels_.info(n);
      if (entry.elementwise == nullptr) {
        return Internal("Op ", info.op->name, " does not run elementwise");
      }
      Stage stage;
      MR_ASSIGN(stage.function,
                entry.elementwise(
                    KernelInit(info, init.device(), nullptr, init.kernels())));
      if (nodes[n].inputs.size() !=
          static_cast<size_t>(stage.function->num_inputs())) {
        return Internal("Op ", info.op->name, " has ", nodes[n].inputs.size(),
                        " inputs in a fused node");
      }
      stage.bytes = SizeOf(info.output_types[0]);
      stage.pair_op = PairOpOf(info.op->name, info.output_types[0]);
      k.widest_ = std::max(k.widest_, stage.bytes);
      k.stages_.push_back(std::move(stage));
    }
    k.AssignRegisters();
    return k;
  }

  Status Run(KernelContext& ctx) const {
    Values values;
    if (!FindShapes(ctx, &values)) return kernels_.RunOneByOne(ctx);
    OneElements ones(stages_.size());
    for (size_t s = 0; s < stages_.size(); ++s) {
      if (!ValueOf(values, -1 - static_cast<int>(s)).is_one) continue;
      const char* in[ElementwiseFunction::kMaxInputs];
      for (size_t i = 0; i < InputsOf(s).size(); ++i) {
        const int from = InputsOf(s)[i];
        in[i] = from >= 0 ? ctx.input(from).data()
                          : ones[static_cast<size_t>(-1 - from)].bytes;
      }
      if (!stages_[s].function->Run(in, Form(values, s), ones[s].bytes, 1)) {
        return Failed(ctx, s);
      }
    }
    const Value& result = values.list.back();
    if (result.is_one) {
      const DimVector dims(static_cast<size_t>(result.rank), 1);
      MR_ASSIGN(TensorShape shape, TensorShape::Make(dims));
      MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, std::move(shape)));
      std::copy_n(ones.back().bytes, stages_.back().bytes, out->mutable_data());
      return OkStatus();
    }
    return RunBlocks(ctx, values, ones);
  }

 private:
  struct Stage {
    std::unique_ptr<const ElementwiseFunction> function;
    size_t bytes = 0;  // of an element of the result
    size_t reg = 0;    // where a block of the result lies
    int readers = 0;   // operands of stages that are its result
    PairOp pair_op = PairOp::kNone;
  };
  struct Value {
    bool is_one = false;  // one element
    int rank = 0;         // of those
  };
  // Inputs of the node, then results; what has not one element has `shape`.
  struct Values {
    absl::InlinedVector<Value, 24> list;
    TensorShape shape;
    bool has_shape = false;
  };
  using OneElements = absl::InlinedVector<OneElement, 16>;

  const std::vector<int>& InputsOf(size_t stage) const {
    return kernels_.nodes()[stage].inputs;
  }
  const Value& ValueOf(const Values& values, int input) const {
    return values.list[static_cast<size_t>(
        input >= 0 ? input : num_inputs_ - 1 - input)];
  }

  // A register is free again behind the last stage that reads it, not before
  // that one's result has its own: elements may differ in size.
  void AssignRegisters() {
    std::vector<size_t> last(stages_.size(), 0);
    for (size_t s = 0; s < stages_.size(); ++s) {
      for (const int from : InputsOf(s)) {
        if (from >= 0) continue;
        last[static_cast<size_t>(-1 - from)] = s;
        ++stages_[static_cast<size_t>(-1 - from)].readers;
      }
    }
    std::vector<size_t> free;
    for (size_t s = 0; s + 1 < stages_.size(); ++s) {
      if (free.empty()) {
        stages_[s].reg = num_registers_++;
      } else {
        stages_[s].reg = free.back();
        free.pop_back();
      }
      for (size_t from = 0; from < s; ++from) {
        if (last[from] == s) free.push_back(stages_[from].reg);
      }
    }
  }

  // False for shapes that are not those of the plain case.
  bool FindShapes(KernelContext& ctx, Values* values) const {
    for (int i = 0; i < num_inputs_; ++i) {
      const TensorShape& shape = ctx.input(i).shape();
      const bool is_one = shape.num_elements() == 1;
      if (!is_one && !values->has_shape) {
        values->shape = shape;
        values->has_shape = true;
      } else if (!is_one && !(values->shape == shape)) {
        return false;
      }
      values->list.push_back({is_one, shape.rank()});
    }
    for (size_t s = 0; s < stages_.size(); ++s) {
      Value result = ValueOf(*values, InputsOf(s)[0]);
      for (size_t i = 1; i < InputsOf(s).size(); ++i) {
        const Value other = ValueOf(*values, InputsOf(s)[i]);
        if (!stages_[s].function->broadcasts() &&
            (result.is_one != other.is_one ||
             (result.is_one && result.rank != other.rank))) {
          return false;
        }
        if (result.is_one != other.is_one) {
          // One element of more dimensions than all the others.
          if ((result.is_one ? result : other).rank > values->shape.rank()) {
            return false;
          }
          result.is_one = false;
        } else {
          result.rank = std::max(result.rank, other.rank);
        }
      }
      values->list.push_back(result);
    }
    return true;
  }

  // Which inputs of the stage have one element, as the op's own kernel would
  // see it.
  uint32_t Form(const Values& values, size_t stage) const {
    if (InputsOf(stage).size() < 2) return 0;
    const Value x = ValueOf(values, InputsOf(stage)[0]);
    const Value y = ValueOf(values, InputsOf(stage)[1]);
    if (x.is_one && y.is_one) {
      return x.rank == y.rank ? 0 : y.rank < x.rank ? 2 : 1;
    }
    return y.is_one ? 2 : x.is_one ? 1 : 0;
  }

  Status Failed(KernelContext& ctx, size_t stage) const {
    ctx.failed_node = kernels_.info(stage).name;
    return InvalidArgument(stages_[stage].function->no_result());
  }

  // An input whose memory the result may take over; else 0, which may not.
  int InputToTakeOver(KernelContext& ctx, const Values& values) const {
    for (int i = 0; i < num_inputs_; ++i) {
      const Tensor& t = ctx.input(i);
      if (!ValueOf(values, i).is_one && t.buffer() != nullptr &&
          t.IsUnshared() && SizeOf(t.dtype()) == stages_.back().bytes) {
        return i;
      }
    }
    return 0;
  }

  Status RunBlocks(KernelContext& ctx, const Values& values,
                   const OneElements& ones) const {
    const int taken_over = InputToTakeOver(ctx, values);
    const char* const taken_over_data = ctx.input(taken_over).data();
    MR_ASSIGN(Tensor* const out,
              ctx.ForwardOrAllocateOutput({taken_over}, 0, values.shape));
    char* const result = out->mutable_data();
    const int64_t total = values.shape.num_elements();
    FusedBlocks blocks(total, num_registers_, widest_, result,
                       stages_.back().bytes);
    int64_t cost_picos = 0;
    for (size_t s = 0; s < stages_.size(); ++s) {
      if (ValueOf(values, -1 - static_cast<int>(s)).is_one) continue;
      FusedBlocks::Stage stage;
      stage.function = stages_[s].function.get();
      stage.scalars = Form(values, s);
      stage.reg = stages_[s].reg;
      stage.index = s;
      stage.pair_op = stages_[s].pair_op;
      stage.readers = stages_[s].readers;
      for (size_t i = 0; i < InputsOf(s).size(); ++i) {
        stage.in[i] = OperandOf(ctx, values, ones, InputsOf(s)[i]);
      }
      blocks.Add(stage);
      cost_picos += stage.function->cost_picos();
    }
    blocks.Finish(result == taken_over_data);
    MR_RETURN_IF_ERROR(ShardElements(
        ctx, total, cost_picos,
        [&](int64_t begin, int64_t end) { blocks.Run(begin, end); }));
    const size_t failed = blocks.failed();
    return failed == FusedBlocks::kNone ? OkStatus() : Failed(ctx, failed);
  }

  FusedBlocks::Operand OperandOf(KernelContext& ctx, const Values& values,
                                 const OneElements& ones, int from) const {
    const bool is_one = ValueOf(values, from).is_one;
    FusedBlocks::Operand operand;
    if (from >= 0) {
      const Tensor& t = ctx.input(from);
      operand.data = t.data();
      operand.step = is_one ? 0 : SizeOf(t.dtype());
    } else if (is_one) {
      operand.data = ones[static_cast<size_t>(-1 - from)].bytes;
    } else {
      operand.reg = stages_[static_cast<size_t>(-1 - from)].reg;
    }
    return operand;
  }

  FusedKernels kernels_;
  int num_inputs_ = 0;
  std::vector<Stage> stages_;
  size_t num_registers_ = 0;
  size_t widest_ = 1;
};

}  // namespace
}  // namespace millrace::ops

using namespace millrace;       // NOLINT: declarations stand outside
using namespace millrace::ops;  // NOLINT

MR_KERNELS(_FusedElementwise,
           Cpu){{.make = MakeKernel<FusedElementwiseKernel>}};

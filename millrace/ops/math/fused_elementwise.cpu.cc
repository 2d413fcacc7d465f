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

// What is known of the nodes when the kernel is made: each is a stage.
struct FusedStages {
  struct Stage {
    std::unique_ptr<const ElementwiseFunction> function;
    DataType type = DataType::kInvalid;  // of the result
    size_t bytes = 0;                    // of an element of it
    size_t reg = 0;                      // where a block of it has room
    int result = -1;                     // which output of the node it is
    std::vector<size_t> readers;         // a stage that reads it twice is twice
    PairOp pair_op = PairOp::kNone;
  };

  static StatusOr<FusedStages> Make(const KernelInit& init);
  void AssignRegisters();
  const std::vector<int>& InputsOf(size_t stage) const {
    return kernels.nodes()[stage].inputs;
  }

  FusedKernels kernels;
  int num_inputs = 0;
  std::vector<Stage> list;
  size_t num_registers = 0;
  size_t widest = 1;  // bytes of an element of a result
};

StatusOr<FusedStages> FusedStages::Make(const KernelInit& init) {
  FusedStages stages;
  MR_ASSIGN(stages.kernels, FusedKernels::Make(init));
  stages.num_inputs = init.num_inputs();
  const FusedNodes& nodes = stages.kernels.nodes();
  for (size_t n = 0; n < nodes.size(); ++n) {
    const KernelEntry& entry = stages.kernels.entry(n);
    const NodeInfo& info = stages.kernels.info(n);
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
    stage.type = info.output_types[0];
    stage.bytes = SizeOf(stage.type);
    stage.result = nodes[n].result;
    stage.pair_op = PairOpOf(info.op->name, stage.type);
    stages.widest = std::max(stages.widest, stage.bytes);
    for (const int from : nodes[n].inputs) {
      if (from < 0) {
        stages.list[static_cast<size_t>(-1 - from)].readers.push_back(n);
      }
    }
    stages.list.push_back(std::move(stage));
  }
  stages.AssignRegisters();
  return stages;
}

// A register is free again behind the last stage that reads it, not before that
// one's result has its own: elements may differ in size.
void FusedStages::AssignRegisters() {
  std::vector<size_t> free;
  for (size_t s = 0; s < list.size(); ++s) {
    if (free.empty()) {
      list[s].reg = num_registers++;
    } else {
      list[s].reg = free.back();
      free.pop_back();
    }
    for (size_t from = 0; from <= s; ++from) {
      const std::vector<size_t>& readers = list[from].readers;
      if ((readers.empty() ? from : readers.back()) == s) {
        free.push_back(list[from].reg);
      }
    }
  }
}

// One run. Stages whose operands have either one element or all the same shape
// gather until one comes that is not of that kind; then they go over memory
// together. What has one element is computed at once, and what broadcasts
// otherwise, or is an error, runs by its own kernel.
class FusedRun {
 public:
  FusedRun(const FusedStages& stages, KernelContext& ctx)
      : stages_(stages), ctx_(ctx), ones_(stages.list.size()) {}

  Status Run() {
    values_.reserve(NumInputs() + stages_.list.size());
    for (int i = 0; i < stages_.num_inputs; ++i) {
      values_.push_back(ValueOfTensor(ctx_.input(i)));
    }
    taken_over_.resize(NumInputs());
    for (size_t s = 0; s < stages_.list.size(); ++s) {
      Value value;
      switch (FormOf(s, &value)) {
        case Form::kOneElement:
          MR_RETURN_IF_ERROR(RunOnOne(s, &value));
          break;
        case Form::kBlocks:
          if (!gathered_.empty() && value.shape != shape_) {
            MR_RETURN_IF_ERROR(RunGathered());
          }
          shape_ = value.shape;
          gathered_.push_back(s);
          break;
        case Form::kOther:
          MR_RETURN_IF_ERROR(RunGathered());
          MR_RETURN_IF_ERROR(RunAlone(s, &value));
          break;
      }
      values_.push_back(std::move(value));
    }
    return RunGathered();
  }

 private:
  enum class Form { kOneElement, kBlocks, kOther };
  // Of an input of the node or of a stage.
  struct Value {
    bool is_one = false;         // one element
    int shape = 0;               // if it is not: which one of shapes_
    int rank = 0;                // if it is
    const char* data = nullptr;  // null: not in memory (yet)
  };
  // A result of one element.
  struct alignas(16) OneElement {
    char bytes[16];
  };
  static constexpr size_t kNowhere = static_cast<size_t>(-1);

  size_t NumInputs() const { return static_cast<size_t>(stages_.num_inputs); }
  // An input of the node (>= 0), or of stage -1 - `from`.
  Value& ValueAt(int from) {
    return values_[from >= 0 ? static_cast<size_t>(from)
                             : NumInputs() + static_cast<size_t>(-1 - from)];
  }
  int NumberOf(const TensorShape& shape) {
    for (size_t i = 0; i < shapes_.size(); ++i) {
      if (shapes_[i] == shape) return static_cast<int>(i);
    }
    shapes_.push_back(shape);
    return static_cast<int>(shapes_.size()) - 1;
  }
  const TensorShape& ShapeOf(int number) const {
    return shapes_[static_cast<size_t>(number)];
  }
  Value ValueOfTensor(const Tensor& t) {
    Value value;
    value.is_one = t.num_elements() == 1;
    value.rank = t.rank();
    value.data = t.data();
    if (!value.is_one) value.shape = NumberOf(t.shape());
    return value;
  }

  Form FormOf(size_t s, Value* result) {
    const std::vector<int>& inputs = stages_.InputsOf(s);
    const bool broadcasts = stages_.list[s].function->broadcasts();
    const Value* whole = nullptr;
    int rank = 0;  // of operands of one element
    for (const int from : inputs) {
      const Value& x = ValueAt(from);
      if (!x.is_one) {
        if (whole != nullptr && x.shape != whole->shape) return Form::kOther;
        whole = &x;
        continue;
      }
      if (!broadcasts && from != inputs[0] && x.rank != rank) {
        return Form::kOther;
      }
      rank = std::max(rank, x.rank);
    }
    if (whole == nullptr) {
      result->is_one = true;
      result->rank = rank;
      return Form::kOneElement;
    }
    result->shape = whole->shape;
    // One element of more dimensions than all the others.
    if (rank > ShapeOf(whole->shape).rank()) return Form::kOther;
    const bool any_one =
        std::any_of(inputs.begin(), inputs.end(),
                    [&](int from) { return ValueAt(from).is_one; });
    return any_one && !broadcasts ? Form::kOther : Form::kBlocks;
  }

  // Which operands of the stage have one element, as the op's own kernel would
  // see it.
  uint32_t Scalars(size_t s) {
    const std::vector<int>& inputs = stages_.InputsOf(s);
    if (inputs.size() < 2) return 0;
    const Value &x = ValueAt(inputs[0]), &y = ValueAt(inputs[1]);
    if (x.is_one && y.is_one) {
      return x.rank == y.rank ? 0 : y.rank < x.rank ? 2 : 1;
    }
    return y.is_one ? 2 : x.is_one ? 1 : 0;
  }

  Status Failed(size_t s) {
    ctx_.failed_node = stages_.kernels.info(s).name;
    return InvalidArgument(stages_.list[s].function->no_result());
  }

  Status RunOnOne(size_t s, Value* value) {
    const FusedStages::Stage& stage = stages_.list[s];
    const char* in[ElementwiseFunction::kMaxInputs];
    const std::vector<int>& inputs = stages_.InputsOf(s);
    for (size_t i = 0; i < inputs.size(); ++i) {
      in[i] = ValueAt(inputs[i]).data;
    }
    if (!stage.function->Run(in, Scalars(s), ones_[s].bytes, 1)) {
      return Failed(s);
    }
    value->data = ones_[s].bytes;
    if (stage.result < 0) return OkStatus();
    MR_ASSIGN(Tensor one, TensorOf(*value, stage.type));
    ctx_.set_output(stage.result, std::move(one));
    return OkStatus();
  }

  StatusOr<Tensor> TensorOf(const Value& one, DataType type) {
    const DimVector dims(static_cast<size_t>(one.rank), 1);
    MR_ASSIGN(TensorShape shape, TensorShape::Make(dims));
    MR_ASSIGN(Tensor t, ctx_.AllocateTemp(type, std::move(shape)));
    std::copy_n(one.data, SizeOf(type), t.mutable_data());
    return t;
  }

  // The stage's own kernel, on what is in memory.
  Status RunAlone(size_t s, Value* value) {
    const std::vector<int>& inputs = stages_.InputsOf(s);
    std::vector<EdgeValue> edges(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      const int from = inputs[i];
      if (from >= 0) {
        edges[i].tensor = ctx_.input(from);
        continue;
      }
      const auto stage = static_cast<size_t>(-1 - from);
      if (Tensor* const t = ResultOf(stage)) {
        edges[i].tensor = *t;
      } else {
        MR_ASSIGN(edges[i].tensor,
                  TensorOf(ValueAt(from), stages_.list[stage].type));
      }
    }
    // Who reads an input last may take its buffer.
    for (const int from : inputs) {
      if (from >= 0 &&
          stages_.kernels.LastReader(from) == static_cast<int>(s)) {
        ctx_.input_edge(from) = EdgeValue();
      }
    }
    EdgeValue result;
    MR_RETURN_IF_ERROR(stages_.kernels.RunNode(ctx_, s, absl::MakeSpan(edges),
                                               absl::MakeSpan(&result, 1)));
    Tensor& kept = Keep(s);
    kept = std::move(result.tensor);
    *value = ValueOfTensor(kept);
    return OkStatus();
  }

  // Where the result of a stage is as a tensor: an output, or of the run alone.
  Tensor& Keep(size_t s) {
    const int output = stages_.list[s].result;
    if (output >= 0) return *ctx_.output(output);
    if (kept_.empty()) kept_.resize(stages_.list.size());
    return kept_[s];
  }
  // Null if it is none.
  Tensor* ResultOf(size_t s) {
    if (stages_.list[s].result < 0 && kept_.empty()) return nullptr;
    Tensor& t = Keep(s);
    return t.dtype() == DataType::kInvalid ? nullptr : &t;
  }

  // All that has gathered, over memory once.
  Status RunGathered() {
    if (gathered_.empty()) return OkStatus();
    const int64_t total = ShapeOf(shape_).num_elements();
    FusedBlocks blocks(total, stages_.num_registers, stages_.widest);
    absl::InlinedVector<size_t, 16> number_of(stages_.list.size(), kNowhere);
    for (size_t i = 0; i < gathered_.size(); ++i) number_of[gathered_[i]] = i;
    int64_t cost_picos = 0;
    for (const size_t s : gathered_) {
      MR_ASSIGN(const FusedBlocks::Stage stage, BlockStage(s, number_of));
      blocks.Add(stage);
      cost_picos += stage.function->cost_picos();
    }
    blocks.Finish();
    MR_RETURN_IF_ERROR(ShardElements(
        ctx_, total, cost_picos,
        [&](int64_t begin, int64_t end) { blocks.Run(begin, end); }));
    if (blocks.failed() != FusedBlocks::kNone) return Failed(blocks.failed());
    gathered_.clear();
    return OkStatus();
  }

  StatusOr<FusedBlocks::Stage> BlockStage(
      size_t s, const absl::InlinedVector<size_t, 16>& number_of) {
    const FusedStages::Stage& from = stages_.list[s];
    FusedBlocks::Stage stage;
    stage.function = from.function.get();
    stage.scalars = Scalars(s);
    stage.reg = from.reg;
    stage.index = s;
    stage.pair_op = from.pair_op;
    stage.readers = static_cast<int>(from.readers.size());
    const std::vector<int>& inputs = stages_.InputsOf(s);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Value& x = ValueAt(inputs[i]);
      const size_t number =
          inputs[i] >= 0 ? kNowhere
                         : number_of[static_cast<size_t>(-1 - inputs[i])];
      if (number != kNowhere) {
        stage.in[i].stage = number;
        continue;
      }
      stage.in[i].data = x.data;
      stage.in[i].step =
          x.is_one ? 0 : SizeOf(stages_.kernels.info(s).input_types[i]);
    }
    const bool leaves =
        from.result >= 0 ||
        std::any_of(from.readers.begin(), from.readers.end(),
                    [&](size_t r) { return number_of[r] == kNowhere; });
    if (leaves) MR_RETURN_IF_ERROR(MakeRoom(s, &stage));
    return stage;
  }

  // A tensor for the result of a stage that others than these stages read.
  Status MakeRoom(size_t s, FusedBlocks::Stage* stage) {
    const FusedStages::Stage& from = stages_.list[s];
    const int input = InputToTakeOver(s);
    Tensor* out;
    if (from.result < 0) {
      out = &Keep(s);
      MR_ASSIGN(*out, ctx_.AllocateTemp(from.type, ShapeOf(shape_)));
    } else if (input >= 0) {
      MR_ASSIGN(out, ctx_.ForwardOrAllocateOutput({input}, from.result,
                                                  ShapeOf(shape_)));
      taken_over_[static_cast<size_t>(input)] = true;
    } else {
      MR_ASSIGN(out, ctx_.AllocateOutput(from.result, ShapeOf(shape_)));
    }
    stage->out = out->mutable_data();
    stage->out_bytes = from.bytes;
    stage->in_place = input >= 0 && stage->out == ValueAt(input).data;
    ValueAt(-1 - static_cast<int>(s)).data = stage->out;
    return OkStatus();
  }

  // An input whose memory the result of a stage may take over; -1: none. Nobody
  // reads it later, not even in the same block.
  int InputToTakeOver(size_t s) {
    for (int i = 0; i < stages_.num_inputs; ++i) {
      const Tensor& t = ctx_.input(i);
      if (!taken_over_[static_cast<size_t>(i)] && !ValueAt(i).is_one &&
          t.buffer() != nullptr && t.IsUnshared() &&
          SizeOf(t.dtype()) == stages_.list[s].bytes &&
          stages_.kernels.LastReader(i) <= static_cast<int>(s) &&
          ValueAt(i).shape == shape_) {
        return i;
      }
    }
    return -1;
  }

  const FusedStages& stages_;
  KernelContext& ctx_;
  absl::InlinedVector<Value, 24> values_;
  absl::InlinedVector<OneElement, 16> ones_;  // by stage
  absl::InlinedVector<size_t, 16> gathered_;
  int shape_ = 0;  // of those
  absl::InlinedVector<TensorShape, 2> shapes_;
  absl::InlinedVector<bool, 16> taken_over_;  // inputs
  std::vector<Tensor> kept_;                  // by stage; empty: none is
};

class FusedElementwiseKernel {
 public:
  static StatusOr<FusedElementwiseKernel> Make(const KernelInit& init) {
    FusedElementwiseKernel k;
    MR_ASSIGN(k.stages_, FusedStages::Make(init));
    return k;
  }
  Status Run(KernelContext& ctx) const { return FusedRun(stages_, ctx).Run(); }

 private:
  FusedStages stages_;
};

}  // namespace
}  // namespace millrace::ops

using namespace millrace;       // NOLINT: declarations stand outside
using namespace millrace::ops;  // NOLINT

MR_KERNELS(_FusedElementwise,
           Cpu){{.make = MakeKernel<FusedElementwiseKernel>}};

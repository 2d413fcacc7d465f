// Kernel of elementwise ops that are fused: they run in one pass over memory
// (fused_blocks.h).
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/fused/fused_blocks.h"
#include "millrace/ops/fused/fused_stages.h"

namespace millrace::ops {
namespace {

// One run. Stages whose operands are single elements or have one shape are
// gathered until a stage of another kind comes; then the gathered ones run in
// one pass over memory. Single elements are computed at once; a stage that
// broadcasts otherwise, or is an error, runs by its own kernel.
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
          MR_RETURN_IF_ERROR(RunStage(s, &value));
          break;
      }
      values_.push_back(std::move(value));
    }
    return RunGathered();
  }

 private:
  enum class Form { kOneElement, kBlocks, kOther };
  // The state of an input of the node or of the result of a stage.
  struct Value {
    bool is_one = false;         // is a single element
    int shape = 0;               // index in shapes_, if it is not
    int rank = 0;                // rank, if it is
    const char* data = nullptr;  // null: not in memory (yet)
  };
  // A result that is one element.
  struct alignas(16) OneElement {
    char bytes[16];
  };
  static constexpr size_t kNowhere = static_cast<size_t>(-1);

  size_t NumInputs() const { return static_cast<size_t>(stages_.num_inputs); }
  // Returns the value of an input of the node (`from` >= 0), or of stage -1 -
  // `from`.
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
    const absl::Span<const int> inputs = stages_.list[s].inputs();
    const bool broadcasts = stages_.list[s].broadcasts;
    const Value* whole = nullptr;
    int rank = 0;  // of operands that are single elements
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
    // A single element has a higher rank than all other operands.
    if (rank > ShapeOf(whole->shape).rank()) return Form::kOther;
    const bool any_one =
        std::any_of(inputs.begin(), inputs.end(),
                    [&](int from) { return ValueAt(from).is_one; });
    return any_one && !broadcasts ? Form::kOther : Form::kBlocks;
  }

  // Returns which operands of the stage are single elements to the op's own
  // kernel.
  uint32_t Scalars(size_t s) {
    const absl::Span<const int> inputs = stages_.list[s].inputs();
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
    const absl::Span<const int> inputs = stage.inputs();
    for (size_t i = 0; i < inputs.size(); ++i) {
      in[i] = ValueAt(inputs[i]).data;
    }
    if (!stage.function->Run(in, Scalars(s), ones_[s].bytes, 1)) {
      return Failed(s);
    }
    value->data = ones_[s].bytes;
    if (stage.result < 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(Tensor one, TensorOf(*value, stage.type));
    ctx_.set_output(stage.result, std::move(one));
    return OkStatus();
  }

  StatusOr<Tensor> TensorOf(const Value& one, DataType type) {
    const DimVector dims(static_cast<size_t>(one.rank), 1);
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
    MR_ASSIGN_OR_RETURN(Tensor t, ctx_.AllocateTemp(type, std::move(shape)));
    std::copy_n(one.data, SizeOf(type), t.mutable_data());
    return t;
  }

  // Runs the stage's own kernel on operands in memory.
  Status RunStage(size_t s, Value* value) {
    const absl::Span<const int> inputs = stages_.list[s].inputs();
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
        MR_ASSIGN_OR_RETURN(edges[i].tensor,
                            TensorOf(ValueAt(from), stages_.list[stage].type));
      }
    }
    // The last reader of an input may take its buffer.
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

  // Returns the tensor that holds the result of a stage: an output, or one that
  // belongs to this run.
  Tensor& Keep(size_t s) {
    const int output = stages_.list[s].result;
    if (output >= 0) return *ctx_.output(output);
    if (kept_.empty()) kept_.resize(stages_.list.size());
    return kept_[s];
  }
  // Returns null if the result is not in a tensor.
  Tensor* ResultOf(size_t s) {
    if (stages_.list[s].result < 0 && kept_.empty()) return nullptr;
    Tensor& t = Keep(s);
    return t.dtype() == DataType::kInvalid ? nullptr : &t;
  }

  // Runs all gathered stages in one pass over memory.
  Status RunGathered() {
    if (gathered_.empty()) return OkStatus();
    const int64_t total = ShapeOf(shape_).num_elements();
    FusedBlocks blocks(total, stages_.num_registers, stages_.widest);
    absl::InlinedVector<size_t, 16> number_of(stages_.list.size(), kNowhere);
    for (size_t i = 0; i < gathered_.size(); ++i) number_of[gathered_[i]] = i;
    int64_t cost_picos = 0;
    for (const size_t s : gathered_) {
      MR_ASSIGN_OR_RETURN(const FusedBlocks::Stage stage,
                          BlockStage(s, number_of));
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
    stage.function = from.function;
    stage.scalars = Scalars(s);
    stage.reg = from.reg;
    stage.index = s;
    stage.pair_op = from.pair_op;
    stage.readers = from.num_readers;
    const absl::Span<const int> inputs = from.inputs();
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
      stage.in[i].step = x.is_one ? 0 : from.in_bytes[i];
    }
    const auto is_elsewhere = [&](size_t reader) {
      return number_of[reader] == kNowhere;
    };
    const bool leaves = from.result >= 0 ||
                        (gathered_.size() < stages_.list.size() &&
                         std::any_of(stages_.readers[s].begin(),
                                     stages_.readers[s].end(), is_elsewhere));
    if (leaves) MR_RETURN_IF_ERROR(MakeRoom(s, &stage));
    return stage;
  }

  // Allocates a tensor for a result that is read by others than the gathered
  // stages.
  Status MakeRoom(size_t s, FusedBlocks::Stage* stage) {
    const FusedStages::Stage& from = stages_.list[s];
    const int input = InputToTakeOver(s);
    Tensor* out;
    if (from.result < 0) {
      out = &Keep(s);
      MR_ASSIGN_OR_RETURN(*out, ctx_.AllocateTemp(from.type, ShapeOf(shape_)));
    } else if (input >= 0) {
      MR_ASSIGN_OR_RETURN(out, ctx_.ForwardOrAllocateOutput(
                                   {input}, from.result, ShapeOf(shape_)));
      taken_over_[static_cast<size_t>(input)] = true;
    } else {
      MR_ASSIGN_OR_RETURN(out,
                          ctx_.AllocateOutput(from.result, ShapeOf(shape_)));
    }
    stage->out = out->mutable_data();
    stage->out_bytes = from.bytes;
    stage->in_place = input >= 0 && stage->out == ValueAt(input).data;
    ValueAt(-1 - static_cast<int>(s)).data = stage->out;
    return OkStatus();
  }

  // Returns an input whose memory the result of a stage may take over, or -1.
  // No stage reads it later, not even in the same block.
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
  int shape_ = 0;  // index of the shape of the gathered stages
  absl::InlinedVector<TensorShape, 2> shapes_;
  absl::InlinedVector<bool, 16> taken_over_;  // by input
  std::vector<Tensor> kept_;  // by stage; empty if no result is kept
};

class FusedElementwiseKernel {
 public:
  static StatusOr<FusedElementwiseKernel> Make(const KernelInit& init) {
    FusedElementwiseKernel k;
    MR_ASSIGN_OR_RETURN(k.stages_, FusedStages::Make(init));
    return k;
  }
  Status Run(KernelContext& ctx) const { return FusedRun(stages_, ctx).Run(); }

 private:
  FusedStages stages_;
};

}  // namespace

MR_KERNELS(_FusedElementwise,
           Cpu){{.make = MakeKernel<FusedElementwiseKernel>}};

}  // namespace millrace::ops

#include "millrace/ops/fused/fused_programs.gpu.h"

#include <algorithm>
#include <utility>

#include "millrace/ops/elementwise/broadcast.h"

namespace millrace::ops {
namespace {

using Shapes = ElementwiseText::Shapes;

// Kept plans; shapes that vary make few.
constexpr size_t kMaxPlans = 64;

size_t StageOf(int from) { return static_cast<size_t>(-1 - from); }

// Returns whether the second operand is a bias of the first.
bool IsBias(const TensorShape& x, const TensorShape& bias,
            bool channels_first) {
  return x.rank() >= 2 && bias.rank() == 1 &&
         bias.dim(0) == x.dim(channels_first ? 1 : x.rank() - 1);
}

}  // namespace

StatusOr<std::unique_ptr<FusedPrograms>> FusedPrograms::Make(
    const KernelInit& init) {
  if (init.node().fused == nullptr || init.kernels() == nullptr) {
    return InvalidArgument("Op ", init.node().op->name,
                           " is made by graph rewriting only; no graph from "
                           "outside may have it");
  }
  auto made = std::make_unique<FusedPrograms>();
  made->num_inputs_ = init.num_inputs();
  for (int i = 0; i < init.num_inputs(); ++i) {
    made->input_types_.push_back(RemoveRef(init.input_type(i)));
  }
  for (const FusedNode& node : *init.node().fused) {
    MR_ASSIGN_OR_RETURN(
        const KernelEntry* const entry,
        init.kernels()->Find(init.device().type(), *node.op, node.attrs));
    if (entry->elementwise == nullptr) {
      return Internal("Op ", node.op->name, " does not run elementwise");
    }
    NodeInfo info;
    info.name = node.name;
    info.device = init.node().device;
    info.op = node.op;
    info.attrs = node.attrs;
    info.input_types = node.input_types;
    info.output_types = node.output_types;
    MR_ASSIGN_OR_RETURN(const auto function,
                        entry->elementwise(KernelInit(
                            info, init.device(), nullptr, init.kernels())));
    const auto* const on_gpu =
        dynamic_cast<const ElementwiseOnGpu*>(function.get());
    if (on_gpu == nullptr) {
      return Internal("Op ", node.op->name, " has no text for GPUs");
    }
    Stage stage;
    stage.text = on_gpu->text();
    stage.in = node.inputs;
    stage.type = node.output_types[0];
    stage.result = node.result;
    made->stages_.push_back(std::move(stage));
  }
  MR_RETURN_IF_ERROR(
      made->PlanFor(init, std::vector<int>(made->stages_.size(), 0)).status());
  return made;
}

bool FusedPrograms::FindShapes(const KernelContext& ctx,
                               std::vector<TensorShape>* shapes) const {
  const auto shape_of = [&](int from) -> const TensorShape& {
    return from >= 0 ? ctx.input(from).shape() : (*shapes)[StageOf(from)];
  };
  shapes->reserve(stages_.size());
  for (const Stage& stage : stages_) {
    TensorShape shape = shape_of(stage.in[0]);
    if (stage.text.shapes == Shapes::kBias ||
        stage.text.shapes == Shapes::kBiasOfChannelsFirst) {
      const bool first = stage.text.shapes == Shapes::kBiasOfChannelsFirst;
      if (!IsBias(shape, shape_of(stage.in[1]), first)) return false;
      // Where it is spread, it has to be in memory.
      if (first && stage.in[1] < 0) return false;
      shapes->push_back(std::move(shape));
      continue;
    }
    for (size_t i = 1; i < stage.in.size(); ++i) {
      const TensorShape& other = shape_of(stage.in[i]);
      if (shape == other) continue;
      if (stage.text.shapes == Shapes::kSame) return false;
      StatusOr<Broadcast> both = Broadcast::Make({&shape, &other});
      if (!both.ok()) return false;
      shape = both->shape();
    }
    shapes->push_back(std::move(shape));
  }
  return true;
}

StatusOr<std::shared_ptr<const FusedPrograms::Plan>> FusedPrograms::PlanFor(
    const KernelInit& init, const std::vector<int>& shapes) const {
  {
    MutexLock lock(mu_);
    const auto it = plans_.find(shapes);
    if (it != plans_.end()) return it->second;
  }
  MR_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, MakePlan(init, shapes));
  MutexLock lock(mu_);
  if (plans_.size() < kMaxPlans) plans_.emplace(shapes, plan);
  return plan;
}

StatusOr<std::shared_ptr<const FusedPrograms::Plan>> FusedPrograms::MakePlan(
    const KernelInit& init, const std::vector<int>& shapes) const {
  auto plan = std::make_shared<Plan>();
  plan->last_reader.assign(static_cast<size_t>(num_inputs_), -1);
  std::vector<bool> is_written(stages_.size(), false);
  for (size_t first = 0; first < stages_.size(); ++first) {
    if (stages_[first].result < 0 || is_written[first]) continue;
    Segment segment;
    std::vector<int> written;
    for (size_t s = first; s < stages_.size(); ++s) {
      if (stages_[s].result >= 0 && shapes[s] == shapes[first]) {
        written.push_back(static_cast<int>(s));
      }
    }
    // Stages that the results need, from the last one to the first.
    std::vector<bool> needed(stages_.size(), false);
    for (const int s : written) needed[static_cast<size_t>(s)] = true;
    for (size_t s = stages_.size(); s-- > 0;) {
      if (!needed[s]) continue;
      for (const int from : stages_[s].in) {
        if (from < 0 && !is_written[StageOf(from)])
          needed[StageOf(from)] = true;
      }
    }
    ElementwiseProgramBuilder builder;
    // The program's values, by what they are.
    absl::flat_hash_map<std::pair<int, int>, int> values;
    const auto value_of = [&](Source source) {
      const auto [it, added] =
          values.try_emplace(std::pair(source.from, source.bias_of), 0);
      if (added) {
        it->second = builder.AddInput(
            source.from >= 0 ? input_types_[static_cast<size_t>(source.from)]
                             : stages_[StageOf(source.from)].type);
        segment.inputs.push_back(source);
      }
      return it->second;
    };
    for (size_t s = 0; s < stages_.size(); ++s) {
      if (!needed[s]) continue;
      const Stage& stage = stages_[s];
      const int number = static_cast<int>(s);
      std::vector<int> operands = {value_of({stage.in[0]})};
      for (size_t i = 1; i < stage.in.size(); ++i) {
        const bool spreads = stage.text.shapes == Shapes::kBiasOfChannelsFirst;
        operands.push_back(value_of({stage.in[i], spreads ? number : -1}));
      }
      values[std::pair(-1 - number, -1)] =
          builder.AddOp(stage.text, operands, stage.type);
    }
    for (const int s : written) {
      builder.AddOutput(values[std::pair(-1 - s, -1)]);
      is_written[static_cast<size_t>(s)] = true;
    }
    if (builder.num_inputs() > ElementwiseProgram::kMaxInputs ||
        builder.num_outputs() > ElementwiseProgram::kMaxOutputs) {
      return std::shared_ptr<const Plan>();
    }
    MR_ASSIGN_OR_RETURN(segment.program, builder.Build(init));
    segment.stages = std::move(written);
    for (const Source& source : segment.inputs) {
      if (source.from < 0) continue;
      plan->last_reader[static_cast<size_t>(source.from)] =
          static_cast<int>(plan->segments.size());
    }
    plan->segments.push_back(std::move(segment));
  }
  return std::shared_ptr<const Plan>(std::move(plan));
}

StatusOr<bool> FusedPrograms::Run(KernelContext& ctx) const {
  std::vector<TensorShape> shapes;
  if (!FindShapes(ctx, &shapes)) return false;
  // Equal shapes get equal numbers, in the order in which they occur.
  std::vector<int> numbers(shapes.size());
  int count = 0;
  for (size_t s = 0; s < shapes.size(); ++s) {
    const auto same = std::find(shapes.begin(), shapes.begin() + s, shapes[s]);
    const auto at = static_cast<size_t>(same - shapes.begin());
    numbers[s] = at < s ? numbers[at] : count++;
  }
  const KernelInit init(ctx.node(), ctx.device(), nullptr);
  MR_ASSIGN_OR_RETURN(const std::shared_ptr<const Plan> plan,
                      PlanFor(init, numbers));
  if (plan == nullptr) return false;
  for (const Segment& segment : plan->segments) {
    const TensorShape& shape = shapes[static_cast<size_t>(segment.stages[0])];
    const bool many =
        segment.inputs.size() > ElementwiseProgram::kMaxBroadcastInputs;
    for (const Source& source : segment.inputs) {
      const TensorShape& own = source.from >= 0 ? ctx.input(source.from).shape()
                                                : shapes[StageOf(source.from)];
      if (many && own.num_elements() != 1 &&
          own.num_elements() != shape.num_elements()) {
        return false;
      }
    }
  }
  std::vector<const Tensor*> results(stages_.size(), nullptr);
  for (size_t n = 0; n < plan->segments.size(); ++n) {
    MR_RETURN_IF_ERROR(RunSegment(ctx, *plan, n, shapes, &results));
  }
  return true;
}

Tensor FusedPrograms::Spread(const Tensor& bias, int stage,
                             absl::Span<const TensorShape> shapes,
                             const KernelContext& ctx) const {
  const int from = stages_[static_cast<size_t>(stage)].in[0];
  const int rank =
      (from >= 0 ? ctx.input(from).shape() : shapes[StageOf(from)]).rank();
  std::vector<int64_t> dims(static_cast<size_t>(rank - 1), 1);
  dims[0] = bias.dim(0);
  return bias.Reshaped(TensorShape(dims));
}

Status FusedPrograms::RunSegment(KernelContext& ctx, const Plan& plan,
                                 size_t number,
                                 absl::Span<const TensorShape> shapes,
                                 std::vector<const Tensor*>* results) const {
  const Segment& segment = plan.segments[number];
  const TensorShape& shape = shapes[static_cast<size_t>(segment.stages[0])];
  std::vector<int> free;  // inputs that nobody reads behind this segment
  for (const Source& source : segment.inputs) {
    if (source.from < 0 || source.bias_of >= 0) continue;
    const Tensor& x = ctx.input(source.from);
    if (plan.last_reader[static_cast<size_t>(source.from)] ==
            static_cast<int>(number) &&
        x.num_elements() == shape.num_elements() && x.buffer() != nullptr &&
        x.IsUnshared()) {
      free.push_back(source.from);
    }
  }
  std::vector<Tensor*> outputs;
  for (const int s : segment.stages) {
    const Stage& stage = stages_[static_cast<size_t>(s)];
    const auto it = std::find_if(free.begin(), free.end(), [&](int from) {
      return SizeOf(input_types_[static_cast<size_t>(from)]) ==
             SizeOf(stage.type);
    });
    Tensor* z = nullptr;
    if (it == free.end()) {
      MR_ASSIGN_OR_RETURN(z, ctx.AllocateOutput(stage.result, shape));
    } else {
      MR_ASSIGN_OR_RETURN(
          z, ctx.ForwardOrAllocateOutput({*it}, stage.result, shape));
      free.erase(it);
    }
    outputs.push_back(z);
    (*results)[static_cast<size_t>(s)] = z;
  }
  std::vector<const Tensor*> inputs;
  std::vector<Tensor> spread(segment.inputs.size());
  for (size_t i = 0; i < segment.inputs.size(); ++i) {
    const Source& source = segment.inputs[i];
    const Tensor* x = source.from >= 0 ? &ctx.input(source.from)
                                       : (*results)[StageOf(source.from)];
    if (source.bias_of >= 0) {
      spread[i] = Spread(*x, source.bias_of, shapes, ctx);
      x = &spread[i];
    }
    inputs.push_back(x);
  }
  return segment.program.Run(ctx, inputs, outputs);
}

}  // namespace millrace::ops

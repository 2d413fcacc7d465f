#include "millrace/train/pipeline/pipeline_training.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/client/ops.h"
#include "millrace/train/pipeline/micro_batches.h"
#include "millrace/train/pipeline/pipeline_forward.h"

namespace millrace::train {
namespace {

// The gradients of a variable that a stage has computed so far: dense ones
// added up, so that no more than their sum waits for the next.
struct SumOfStage {
  Output dense;
  std::vector<Gradient> sparse;

  // Returns the op after which the gradient is part of the sum.
  Operation Add(const Scope& scope, const Gradient& gradient) {
    if (gradient.is_slices()) {
      sparse.push_back(gradient);
      return gradient.slices.values.op();
    }
    dense = dense ? ops::AddN(scope.WithOpName("sum"), {dense, gradient.tensor})
                  : gradient.tensor;
    return dense.op();
  }
};

// The gradients of a pipeline: backwards from stage to stage, for each
// micro-batch.
class BackwardPass {
 public:
  BackwardPass(const ForwardPass& forward,
               const std::vector<PipelineStage>& stages,
               const std::vector<Output>& losses,
               const std::vector<ops::Variable>& variables)
      : forward_(forward),
        stages_(stages),
        losses_(losses),
        variables_(variables),
        sums_(stages.size(), std::vector<SumOfStage>(variables.size())) {
    for (const ops::Variable& v : variables) handles_.push_back(v.handle());
  }

  void Build() {
    for (size_t batch = 0; batch < losses_.size(); ++batch) {
      const Scope pass =
          forward_.block.SubScope(absl::StrCat("backward_", batch));
      runs_.emplace_back(stages_.size());
      // The gradients of the stage's outputs.
      std::vector<Gradient> dys;
      for (size_t stage = stages_.size(); stage-- > 0;) {
        const Scope s = pass.SubScope(absl::StrCat("stage_", stage))
                            .WithDevice(stages_[stage].device);
        dys = BuildRun(s, batch, stage, dys);
      }
    }
  }

  std::vector<GradientAndVariable> Sums() const {
    const Scope block = forward_.block.SubScope("sums");
    std::vector<GradientAndVariable> sums;
    for (size_t v = 0; v < variables_.size(); ++v) {
      std::vector<Gradient> of_stages;
      for (const std::vector<SumOfStage>& of_stage : sums_) {
        if (of_stage[v].dense) of_stages.emplace_back(of_stage[v].dense);
        of_stages.insert(of_stages.end(), of_stage[v].sparse.begin(),
                         of_stage[v].sparse.end());
      }
      sums.push_back(
          {ops::SumGradients(block.ColocateWith(handles_[v]), of_stages),
           variables_[v]});
    }
    return sums;
  }

  const StageRun& run(size_t batch, size_t stage) const {
    return runs_[batch][stage];
  }

 private:
  // Builds the gradients of a stage; returns those of its inputs.
  std::vector<Gradient> BuildRun(const Scope& s, size_t batch, size_t stage,
                                 const std::vector<Gradient>& dys) {
    const ForwardRun& forward = forward_.runs[batch][stage];
    StageRun& run = runs_[batch][stage];
    std::vector<Output> ys;
    ops::GradientsOptions options;
    if (stage + 1 == stages_.size()) {
      // What depends on this constant alone waits for the turn, too.
      const Output share = ops::Const(s.WithOpName("share"),
                                      1.0 / static_cast<double>(losses_.size()),
                                      losses_[batch].dtype());
      run.starts.push_back(share.op());
      ys.push_back(losses_[batch]);
      options.grad_ys.emplace_back(share);
    } else {
      for (size_t i = 0; i < dys.size(); ++i) {
        if (!dys[i]) continue;
        const Output dy = ops::Identity(s.WithOpName("start"), dys[i].tensor);
        run.starts.push_back(dy.op());
        ys.push_back(forward.outputs[i]);
        options.grad_ys.emplace_back(dy);
      }
    }
    if (ys.empty()) return {};
    options.stop_gradients = forward.inputs;
    options.colocate_with_ops = true;
    // Both gradients of a product are computed before one is used: what goes
    // back through a reference variable would see an update by the other.
    options.gate = true;
    // The first stage needs the gradients of its variables alone.
    std::vector<Output> xs;
    if (stage > 0) xs = forward.inputs;
    const size_t inputs = xs.size();
    xs.insert(xs.end(), handles_.begin(), handles_.end());
    std::vector<Gradient> dxs = ops::Gradients(s, ys, xs, options);
    for (size_t i = 0; i < dxs.size(); ++i) {
      if (!dxs[i]) continue;
      if (i >= inputs) {
        run.ends.push_back(sums_[stage][i - inputs].Add(s, dxs[i]));
        continue;
      }
      const Output dx = ops::ToTensor(s, dxs[i]);
      run.ends.push_back(dx.op());
      dxs[i] = dx;
    }
    dxs.resize(inputs);
    return dxs;
  }

  const ForwardPass& forward_;
  const std::vector<PipelineStage>& stages_;
  const std::vector<Output>& losses_;
  const std::vector<ops::Variable>& variables_;
  std::vector<Output> handles_;
  std::vector<std::vector<StageRun>> runs_;    // by micro-batch and stage
  std::vector<std::vector<SumOfStage>> sums_;  // by stage and variable
};

bool CheckLoss(const Scope& scope, const Output& loss) {
  const PartialShape shape = loss.shape();
  if (loss && IsFloating(loss.dtype()) &&
      (!shape.known_rank() || shape.rank() == 0)) {
    return true;
  }
  scope.Fail(loss ? InvalidArgument(
                        "the loss of a pipeline should be a scalar of "
                        "floating type, the mean of a micro-batch, found ",
                        loss.name(), " of type ", DataTypeName(loss.dtype()),
                        " and shape ", shape.DebugString())
                  : InvalidArgument("the loss of a pipeline is null"),
             "TrainingPipeline");
  return false;
}

Output MeanOf(const Scope& scope, const std::vector<Output>& losses) {
  if (losses.size() == 1) return losses[0];
  return ops::Mul(scope.WithOpName("loss"), ops::AddN(scope, losses),
                  1.0 / static_cast<double>(losses.size()));
}

// The forward pass with the loss of each micro-batch.
struct ForwardWithLosses {
  ForwardPass forward;
  std::vector<Output> losses;
};

ForwardWithLosses BuildWithLosses(const VariableScope& variables,
                                  const std::vector<PipelineStage>& stages,
                                  const std::vector<Output>& inputs,
                                  const std::vector<Output>& labels,
                                  const PipelineLoss& loss,
                                  const TrainingPipelineOptions& options) {
  ForwardWithLosses built{.forward = {.block = variables.scope(), .runs = {}},
                          .losses = {}};
  if (!loss) {
    variables.scope().Fail(
        InvalidArgument("expected a function for the loss, got none"),
        "TrainingPipeline");
    return built;
  }
  std::vector<std::vector<Output>> micro_labels;
  const auto add_loss = [&](const Scope& block, const VariableScope& at,
                            size_t batch, ForwardRun* last) {
    if (batch == 0 && !labels.empty()) {
      micro_labels = MicroBatches(block.WithDevice(stages.back().device),
                                  labels, options.micro_batches);
      if (micro_labels.empty()) return false;
    }
    built.losses.push_back(
        loss(at, last->outputs,
             labels.empty() ? std::vector<Output>() : micro_labels[batch]));
    if (!CheckLoss(at.scope(), built.losses.back())) return false;
    last->run.ends.push_back(built.losses.back().op());
    return true;
  };
  built.forward = BuildForward(variables, stages, inputs, options.micro_batches,
                               options.name, add_loss);
  return built;
}

}  // namespace

PipelineTraining TrainingPipeline(const VariableScope& variables,
                                  const std::vector<PipelineStage>& stages,
                                  const std::vector<Output>& inputs,
                                  const std::vector<Output>& labels,
                                  const PipelineLoss& loss,
                                  const TrainingPipelineOptions& options) {
  const auto [forward, losses] =
      BuildWithLosses(variables, stages, inputs, labels, loss, options);
  if (!forward) return {};
  std::vector<ops::Variable> trained = options.variables;
  if (trained.empty()) trained = ops::TrainableVariables(forward.block);
  if (trained.empty()) {
    forward.block.Fail(InvalidArgument("No variables to optimize."),
                       "TrainingPipeline");
    return {};
  }
  BackwardPass backward(forward, stages, losses, trained);
  backward.Build();
  for (size_t stage = 0; stage < stages.size(); ++stage) {
    std::vector<const StageRun*> runs;
    for (const PipelineTask& task : TasksOfStage(
             options.order, static_cast<int64_t>(stage),
             static_cast<int64_t>(stages.size()), options.micro_batches)) {
      const auto batch = static_cast<size_t>(task.micro_batch);
      runs.push_back(task.pass == PipelinePass::kForward
                         ? &forward.runs[batch][stage].run
                         : &backward.run(batch, stage));
    }
    RunInOrder(forward.block, runs);
  }
  PipelineTraining training;
  training.loss =
      MeanOf(forward.block.WithDevice(stages.back().device), losses);
  training.outputs = OutputsOf(forward, stages.back());
  training.gradients = backward.Sums();
  training.block = forward.block.name();
  if (!forward.block.ok()) return {};
  return training;
}

}  // namespace millrace::train

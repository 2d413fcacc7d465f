#include "examples/parallel/cpp/model_forms.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/millrace.h"

namespace millrace::parallel {
namespace {

using train::SplitTensor;

constexpr int64_t kModelClasses = 10;
constexpr int64_t kHiddenLayers = 6;
constexpr int64_t kRecurrentLayers = 3;
constexpr double kModelRate = 0.05;

using Tensors = std::vector<Output>;

std::vector<std::string> Workers(int count) {
  std::vector<std::string> devices;
  for (int i = 0; i < count; ++i) devices.push_back(Cluster::Worker(i));
  return devices;
}

// What all forms of a network are built from: a graph with a batch on worker 0,
// which is not fed, so that a step moves nothing but what its form does.
class ModelBuilder {
 public:
  ModelBuilder(const Cluster& cluster, uint64_t seed)
      : seed_(static_cast<int64_t>(seed)),
        scope_(cluster.NewGraph()),
        first_(scope_.WithDevice(Cluster::Worker(0))) {}

  const Scope& scope() const { return scope_; }
  const Scope& first() const { return first_; }
  // The variables, and ops, of a form that is not split; on a worker.
  VariableScope On(int worker) const {
    return VariableScope(scope_.WithDevice(Cluster::Worker(worker)))
        .Sub("network");
  }
  Output Batch(const std::vector<int64_t>& shape) const {
    return ops::MakeVariable(
        first_.WithOpName("batch"), TensorShape(absl::MakeConstSpan(shape)),
        DataType::kFloat, RandomUniform({.min = -1, .max = 1, .seed = seed_}),
        {.trainable = false});
  }
  Output Labels(int64_t batch) const {
    std::vector<int32_t> labels;
    for (int64_t i = 0; i < batch; ++i) {
      labels.push_back(static_cast<int32_t>((7 * i + seed_) % kModelClasses));
    }
    return ops::Const(first_.WithOpName("labels"), labels);
  }
  // The same first values for a layer in every form.
  Initializer Kernel(int64_t layer) const {
    return SlicesOfWhole(GlorotUniform({.seed = seed_ + 1 + layer}));
  }

  ModelGraph Trained(const Output& values, const Output& loss) const {
    train::GradientDescentOptimizer rule(kModelRate);
    return {.scope = scope_,
            .values = values,
            .train_op = rule.Minimize(
                scope_, loss,
                {.gradients = {.colocate_with_ops = true, .gate = true}}),
            .block = ""};
  }
  ModelGraph Trained(const train::PipelineTraining& pipeline) const {
    train::GradientDescentOptimizer rule(kModelRate);
    return {.scope = scope_,
            .values = pipeline ? pipeline.outputs[0] : Output(),
            .train_op = rule.ApplyGradients(scope_, pipeline.gradients),
            .block = pipeline.block};
  }
  // Of a batch's logits, on their device.
  ModelGraph Classified(const Scope& where, const Output& logits,
                        int64_t batch) const {
    return Trained(
        logits, train::SparseSoftmaxCrossEntropy(where, Labels(batch), logits));
  }

 private:
  const int64_t seed_;
  const Scope scope_;
  const Scope first_;
};

// Dense layers, of which the last gives the classes.
class DenseNetwork {
 public:
  DenseNetwork(const ModelSizes& sizes, uint64_t seed)
      : sizes_(sizes), seed_(seed) {}

  ModelGraph Unsplit(const Cluster& cluster) const {
    const ModelBuilder b(cluster, seed_);
    const VariableScope v = b.On(0);
    return b.Classified(v.scope(), Layers(b, v, Batch(b), 0, kHiddenLayers + 1),
                        sizes_.batch);
  }

  // The lower half of the layers on one worker, the upper half on another.
  ModelGraph ByLayer(const Cluster& cluster) const {
    const ModelBuilder b(cluster, seed_);
    const VariableScope lower = b.On(0);
    const VariableScope upper =
        lower.WithScope(b.scope().WithDevice(Cluster::Worker(1)));
    const int64_t half = kHiddenLayers / 2;
    const Output x = Layers(b, lower, Batch(b), 0, half);
    return b.Classified(upper.scope(),
                        Layers(b, upper, x, half, kHiddenLayers + 1),
                        sizes_.batch);
  }

  // Each worker has its share of the units of every second layer, and its share
  // of the inputs of those between.
  ModelGraph Slices(const Cluster& cluster, int workers) const {
    const ModelBuilder b(cluster, seed_);
    const VariableScope v = b.On(0);
    SplitTensor x = Batch(b);
    for (int64_t layer = 0; layer < kHiddenLayers; ++layer) {
      x = train::SplitDense(v, x, sizes_.units, Workers(workers),
                            {.cut = layer % 2 == 0 ? train::DenseCut::kUnits
                                                   : train::DenseCut::kInputs,
                             .activation = ops::Relu,
                             .kernel_initializer = b.Kernel(layer)});
    }
    const VariableScope last =
        v.WithScope(b.scope().WithDevice(Cluster::Worker(workers - 1)));
    const Output logits = Layers(b, last, train::Join(last.scope(), x),
                                 kHiddenLayers, kHiddenLayers + 1);
    return b.Classified(last.scope(), logits, sizes_.batch);
  }

  ModelGraph InPipeline(const Cluster& cluster, int stages,
                        int64_t micro_batches,
                        train::PipelineOrder order) const {
    const ModelBuilder b(cluster, seed_);
    std::vector<train::PipelineStage> all;
    for (int i = 0; i < stages; ++i) {
      const int64_t begin = i * kHiddenLayers / stages;
      const int64_t end = i + 1 == stages ? kHiddenLayers + 1
                                          : (i + 1) * kHiddenLayers / stages;
      all.push_back(
          {Cluster::Worker(i),
           [this, &b, begin, end](const VariableScope& at, const Tensors& x) {
             return Tensors{Layers(b, at, x[0], begin, end)};
           }});
    }
    return b.Trained(train::TrainingPipeline(
        VariableScope(b.scope()), all, {Batch(b)}, {b.Labels(sizes_.batch)},
        [](const VariableScope& at, const Tensors& outputs,
           const Tensors& labels) {
          return train::SparseSoftmaxCrossEntropy(at.scope(), labels[0],
                                                  outputs[0]);
        },
        {.micro_batches = micro_batches, .order = order, .name = "network"}));
  }

 private:
  Output Batch(const ModelBuilder& b) const {
    return b.Batch({sizes_.batch, sizes_.units});
  }
  Output Layers(const ModelBuilder& b, const VariableScope& v, Output x,
                int64_t begin, int64_t end) const {
    for (int64_t layer = begin; layer < end; ++layer) {
      const bool is_last = layer == kHiddenLayers;
      x = train::Dense(v, x, is_last ? kModelClasses : sizes_.units,
                       {.activation = is_last ? train::Activation()
                                              : train::Activation(ops::Relu),
                        .kernel_initializer = b.Kernel(layer)});
    }
    return x;
  }

  const ModelSizes sizes_;
  const uint64_t seed_;
};

// Two layers of filters, each with pooling, and a dense one.
class ConvNetwork {
 public:
  ConvNetwork(const ModelSizes& sizes, uint64_t seed)
      : sizes_(sizes), seed_(seed) {}

  ModelGraph Unsplit(const Cluster& cluster) const {
    const ModelBuilder b(cluster, seed_);
    const VariableScope v = b.On(0);
    Output x = Images(b);
    for (const int64_t layer : {0, 1}) {
      x = train::Conv2D(v, x, FiltersOf(layer), {5, 5},
                        {.padding = train::Padding::kSame,
                         .activation = ops::Relu,
                         .kernel_initializer = b.Kernel(layer)});
      x = train::MaxPooling2D(v.scope(), x, {2, 2}, {2, 2});
    }
    return Classes(b, v, x);
  }

  // The first layer by filters, so that the second finds its channels.
  ModelGraph ByFilters(const Cluster& cluster, int workers) const {
    return Split(cluster, workers,
                 {train::Conv2DCut::kFilters, train::Conv2DCut::kChannels});
  }
  // Chunks of the images, which exchange the rows at their edges.
  ModelGraph ByRows(const Cluster& cluster, int workers) const {
    return Split(cluster, workers,
                 {train::Conv2DCut::kRows, train::Conv2DCut::kRows});
  }

 private:
  int64_t FiltersOf(int64_t layer) const {
    return layer == 0 ? sizes_.filters : 2 * sizes_.filters;
  }
  Output Images(const ModelBuilder& b) const {
    return b.Batch({sizes_.images, sizes_.side, sizes_.side, 1});
  }
  ModelGraph Classes(const ModelBuilder& b, const VariableScope& v,
                     const Output& images) const {
    const Output logits =
        train::Dense(v, train::Flatten(v.scope(), images), kModelClasses,
                     {.kernel_initializer = b.Kernel(2)});
    return b.Classified(v.scope(), logits, sizes_.images);
  }
  ModelGraph Split(const Cluster& cluster, int workers,
                   const std::vector<train::Conv2DCut>& cuts) const {
    const ModelBuilder b(cluster, seed_);
    const VariableScope v = b.On(0);
    SplitTensor x = Images(b);
    for (size_t i = 0; i < cuts.size(); ++i) {
      const auto layer = static_cast<int64_t>(i);
      x = train::SplitConv2D(v, x, FiltersOf(layer), {5, 5}, Workers(workers),
                             {.cut = cuts[i],
                              .padding = train::Padding::kSame,
                              .activation = ops::Relu,
                              .kernel_initializer = b.Kernel(layer)});
      x = train::SplitMaxPooling2D(v.scope(), x, {2, 2}, {2, 2});
    }
    const VariableScope last =
        v.WithScope(b.scope().WithDevice(Cluster::Worker(workers - 1)));
    return Classes(b, last, train::Join(last.scope(), x));
  }

  const ModelSizes sizes_;
  const uint64_t seed_;
};

// Layers of LSTMs over some times; the last output is classified.
class RecurrentNetwork {
 public:
  RecurrentNetwork(const ModelSizes& sizes, uint64_t seed)
      : sizes_(sizes), seed_(seed) {}

  // With more than one worker each has a layer, in turn.
  ModelGraph Over(const Cluster& cluster, int workers) const {
    const ModelBuilder b(cluster, seed_);
    const VariableScope v = b.On(0);
    std::vector<std::unique_ptr<train::RnnCell>> layers;
    for (int i = 0; i < kRecurrentLayers; ++i) {
      layers.push_back(std::make_unique<train::DeviceWrapper>(
          std::make_unique<train::BasicLstmCell>(sizes_.recurrent),
          Cluster::Worker(i % workers)));
    }
    train::MultiRnnCell cell(std::move(layers));
    const std::vector<Output> inputs = ops::Split(
        v.scope(), 1, b.Batch({sizes_.images, sizes_.times * sizes_.side}),
        sizes_.times);
    const auto y =
        train::StaticRnn(v.WithInitializer(b.Kernel(0)), cell, inputs);
    const VariableScope last = v.WithScope(b.scope().WithDevice(
        Cluster::Worker((static_cast<int>(kRecurrentLayers) - 1) % workers)));
    const Output logits =
        train::Dense(last, y.outputs.empty() ? Output() : y.outputs.back(),
                     kModelClasses, {.kernel_initializer = b.Kernel(1)});
    return b.Classified(last.scope(), logits, sizes_.images);
  }

 private:
  const ModelSizes sizes_;
  const uint64_t seed_;
};

// Stages of equal work, all of the same sizes: from what travels, which is
// narrow, over layers of one width to as narrow a one.
Output QueryLayers(const VariableScope& at, Output x, const IdleSizes& sizes,
                   int stage) {
  for (int64_t layer = 0; layer < sizes.layers; ++layer) {
    const bool is_narrow = layer + 1 == sizes.layers;
    const int64_t number = stage * sizes.layers + layer;
    x = train::Dense(
        at, x, is_narrow ? sizes.narrow : sizes.units,
        {.activation = ops::Tanh,
         .kernel_initializer = GlorotUniform({.seed = 1 + number})});
  }
  return x;
}

ModelGraph Queries(const Cluster& cluster, const IdleSizes& sizes, int workers,
                   int64_t micro_batches) {
  const ModelBuilder b(cluster, 1);
  std::vector<train::PipelineStage> stages;
  for (const int stage : {0, 1}) {
    stages.push_back(
        {Cluster::Worker(stage % workers),
         [&sizes, stage](const VariableScope& at, const Tensors& x) {
           return Tensors{QueryLayers(at, x[0], sizes, stage)};
         }});
  }
  const train::PipelineOutputs y = train::Pipeline(
      VariableScope(b.scope()), stages, {b.Batch({sizes.batch, sizes.narrow})},
      {.micro_batches = micro_batches, .name = "network"});
  return {.scope = b.scope(),
          .values = y ? y.outputs[0] : Output(),
          .train_op = {},
          .block = y.block};
}

}  // namespace

std::vector<ModelForm> ModelForms(const ModelSizes& sizes, uint64_t seed) {
  const DenseNetwork dense(sizes, seed);
  const ConvNetwork conv(sizes, seed);
  const RecurrentNetwork recurrent(sizes, seed);
  std::vector<ModelForm> forms;
  const auto add = [&](const char* network, const std::string& name,
                       std::function<ModelGraph(const Cluster&)> build) {
    forms.push_back({.name = absl::StrCat(network, ": ", name),
                     .network = network,
                     .build = std::move(build)});
  };
  add("dense", "on one worker",
      [=](const Cluster& c) { return dense.Unsplit(c); });
  add("dense", "by layers", [=](const Cluster& c) { return dense.ByLayer(c); });
  add("dense", "vertical slices",
      [=](const Cluster& c) { return dense.Slices(c, 2); });
  const auto add_pipeline = [&](int stages, int64_t m,
                                train::PipelineOrder order) {
    const bool alternates = order == train::PipelineOrder::kAlternating;
    add("dense",
        absl::StrCat("pipeline of ", stages, alternates ? ", alternating" : "",
                     ", m = ", m),
        [=](const Cluster& c) {
          return dense.InPipeline(c, stages, m, order);
        });
    forms.back().stages = stages;
    forms.back().micro_batches = m;
    forms.back().order = order;
  };
  for (const int64_t m : {2, 4, 8}) {
    add_pipeline(2, m, train::PipelineOrder::kForwardFirst);
  }
  add_pipeline(3, 4, train::PipelineOrder::kForwardFirst);
  add_pipeline(3, 4, train::PipelineOrder::kAlternating);
  add("convolutional", "on one worker",
      [=](const Cluster& c) { return conv.Unsplit(c); });
  add("convolutional", "by filters and channels",
      [=](const Cluster& c) { return conv.ByFilters(c, 2); });
  add("convolutional", "by rows",
      [=](const Cluster& c) { return conv.ByRows(c, 2); });
  add("recurrent", "on one worker",
      [=](const Cluster& c) { return recurrent.Over(c, 1); });
  add("recurrent", "a layer a worker",
      [=](const Cluster& c) { return recurrent.Over(c, 3); });
  return forms;
}

ModelForm QueriesInPipeline(const IdleSizes& sizes, int64_t micro_batches) {
  return {.name = absl::StrCat("queries: pipeline of 2, m = ", micro_batches),
          .network = "queries",
          .build =
              [=](const Cluster& cluster) {
                return Queries(cluster, sizes, 2, micro_batches);
              },
          .stages = 2,
          .micro_batches = micro_batches};
}

ModelForm QueriesOnOneWorker(const IdleSizes& sizes) {
  return {.name = "queries: on one worker",
          .network = "queries",
          .build = [=](const Cluster& cluster) {
            return Queries(cluster, sizes, 1, 1);
          }};
}

}  // namespace millrace::parallel

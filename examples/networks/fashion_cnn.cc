// A small convolutional network in the manner of LeNet-5 (LeCun et al.,
// "Gradient-based learning applied to document recognition", 1998) on
// Fashion-MNIST.
#include <cstring>

#include "examples/networks/networks.h"
#include "examples/support/fashion_mnist.h"
#include "millrace/millrace.h"

namespace millrace::networks {
namespace {

using examples::ImageSet;
using examples::kClasses;
using examples::kPixels;

constexpr int64_t kSide = 28;
constexpr float kMaxPixel = 255;
constexpr double kCnnRate = 0.02;
constexpr int64_t kTestBatch = 500;

std::vector<Tensor> Chosen(const ImageSet& set,
                           const std::vector<int64_t>& numbers) {
  const int64_t n = static_cast<int64_t>(numbers.size());
  Tensor images = Tensor::New(DataType::kUint8, TensorShape({n, kPixels}));
  Tensor labels = Tensor::New(DataType::kInt32, TensorShape({n}));
  for (size_t i = 0; i < numbers.size(); ++i) {
    std::memcpy(images.mutable_data() + i * kPixels,
                set.images.data() + numbers[i] * kPixels, kPixels);
    labels.mutable_flat<int32_t>()[i] =
        set.labels.flat<int32_t>()[static_cast<size_t>(numbers[i])];
  }
  return {images, labels};
}

Output Logits(const VariableScope& v, const Output& images, bool is_small) {
  const Scope& s = v.scope();
  Output x = ops::Mul(s, ops::Cast(s, images, DataType::kFloat), 1 / kMaxPixel);
  x = ops::Reshape(s, x, {-1, kSide, kSide, int64_t{1}});
  int64_t seed = 1;
  for (const int64_t filters : {is_small ? 8 : 32, is_small ? 16 : 64}) {
    x = train::Conv2D(v, x, filters, {5, 5},
                      {.padding = train::Padding::kSame,
                       .activation = ops::Relu,
                       .kernel_initializer = HeNormal({.seed = seed++})});
    x = train::MaxPooling2D(s, x, {2, 2}, {2, 2});
  }
  x = train::Flatten(s, x);
  x = train::Dense(v, x, is_small ? 64 : 256,
                   {.activation = ops::Relu,
                    .kernel_initializer = HeNormal({.seed = seed++})});
  return train::Dense(v, x, kClasses,
                      {.kernel_initializer = GlorotUniform({.seed = seed})});
}

StatusOr<Network> Build(const Scope& s, const VariableScope& v,
                        const TrainingOptions& options,
                        const ImageSet& training, const ImageSet& test) {
  Network net;
  const ops::Variable step = train::CreateGlobalStep(s);
  const Output images =
      ops::Placeholder(s.WithOpName("images"), DataType::kUint8,
                       {.shape = PartialShape({-1, kPixels})});
  const Output labels = ops::Placeholder(
      s.WithOpName("labels"), DataType::kInt32, {.shape = PartialShape({-1})});
  const Output logits = Logits(v, images, options.is_small);
  net.feeds = {images, labels};
  net.loss = train::SparseSoftmaxCrossEntropy(s, labels, logits);
  train::MomentumOptimizer optimizer(kCnnRate, 0.9);
  net.train_op = optimizer.Minimize(s, net.loss, {.global_step = step});
  net.next = [&training, batch = options.batch](int64_t number) {
    return Chosen(training, BatchOf(number, batch, training.labels.dim(0)));
  };
  net.test_name = "test accuracy";
  net.test = ops::Mean(
      s, ops::Cast(s, ops::InTopK(s, logits, labels, 1), DataType::kFloat),
      {0});
  for (int64_t i = 0; i < test.labels.dim(0) / kTestBatch; ++i) {
    net.test_feeds.push_back(
        {test.images.Rows(i * kTestBatch, (i + 1) * kTestBatch),
         test.labels.Rows(i * kTestBatch, (i + 1) * kTestBatch)});
  }
  MR_RETURN_IF_ERROR(s.status());
  return net;
}

}  // namespace

Status FashionCnn(Cluster& cluster, TrainingOptions options) {
  if (options.steps == 0) options.steps = options.is_small ? 150 : 2000;
  if (options.batch == 0) options.batch = 50;
  const std::string folder =
      options.data.empty() ? examples::DefaultDataFolder() : options.data;
  MR_ASSIGN_OR_RETURN(const ImageSet training,
                      examples::LoadTrainingSet(folder));
  MR_ASSIGN_OR_RETURN(const ImageSet test, examples::LoadTestSet(folder));
  return Train(cluster, options, [&](const Scope& s, const VariableScope& v) {
    return Build(s, v, options, training, test);
  });
}

}  // namespace millrace::networks

#include "examples/parallel/cpp/classifier.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "millrace/millrace.h"

namespace millrace::parallel {
namespace {

constexpr float kMaxPixel = 255;
constexpr int64_t kScoredAtOnce = 1'000;

// In a process there is one device for all parts.
ClassifierOptions InOneProcess(ClassifierOptions options) {
  for (std::string& device : options.devices) device = "/device:CPU:0";
  return options;
}

}  // namespace

Output DenseLogits(const VariableScope& variables, const Output& pixels,
                   const ClassifierOptions& options) {
  Output x = pixels;
  for (size_t i = 0; i < options.hidden.size(); ++i) {
    x = train::Dense(
        variables, x, options.hidden[i],
        {.activation = ops::Relu,
         .kernel_initializer = HeNormal({.seed = options.SeedOf(i)}),
         .name = absl::StrCat("hidden", i + 1)});
  }
  const int64_t seed = options.SeedOf(options.hidden.size());
  return train::Dense(
      variables, x, examples::kClasses,
      {.kernel_initializer = GlorotUniform({.seed = seed}), .name = "logits"});
}

int64_t ClassifierOptions::Bytes() const {
  int64_t numbers = 0;
  int64_t inputs = examples::kPixels;
  for (size_t i = 0; i <= hidden.size(); ++i) {
    const int64_t units = i < hidden.size() ? hidden[i] : examples::kClasses;
    numbers += (inputs + 1) * units;
    inputs = units;
  }
  return numbers * static_cast<int64_t>(sizeof(float));
}

Classifier MakeClassifier(const VariableScope& variables,
                          const ClassifierOptions& options) {
  const Scope& s = variables.scope();
  Classifier net;
  net.images =
      ops::Placeholder(s.WithOpName("images"), DataType::kUint8,
                       {.shape = PartialShape({-1, examples::kPixels})});
  net.labels = ops::Placeholder(s.WithOpName("labels"), DataType::kInt32,
                                {.shape = PartialShape({-1})});
  const Output pixels =
      ops::Mul(s, ops::Cast(s, net.images, DataType::kFloat), 1 / kMaxPixel);
  net.logits = options.logits(variables, pixels, options);
  net.loss = train::SparseSoftmaxCrossEntropy(s, net.labels, net.logits);
  net.accuracy = ops::Mean(
      s,
      ops::Cast(s, ops::InTopK(s, net.logits, net.labels, 1), DataType::kFloat),
      {0});
  return net;
}

Scorer::Scorer(const ClassifierOptions& options)
    : scope_(Scope::NewRoot()),
      classifier_(MakeClassifier(VariableScope(scope_), InOneProcess(options))),
      session_(scope_) {}

StatusOr<Score> Scorer::Of(const std::vector<Tensor>& values,
                           const examples::ImageSet& images) {
  const std::vector<ops::Variable> variables = ops::TrainableVariables(scope_);
  if (values.size() != variables.size()) {
    return InvalidArgument("there are ", values.size(), " values, expected ",
                           variables.size());
  }
  std::vector<Feed> feeds;
  for (size_t i = 0; i < values.size(); ++i) {
    feeds.push_back({variables[i].value(), values[i]});
  }
  const int64_t count = images.labels.dim(0);
  Score score;
  for (int64_t begin = 0; begin < count; begin += kScoredAtOnce) {
    const int64_t end = std::min(count, begin + kScoredAtOnce);
    std::vector<Feed> all = feeds;
    all.push_back({classifier_.images, images.images.Rows(begin, end)});
    all.push_back({classifier_.labels, images.labels.Rows(begin, end)});
    MR_ASSIGN_OR_RETURN(
        const std::vector<Tensor> out,
        session_.Run(all, {classifier_.accuracy, classifier_.loss}));
    const double share =
        static_cast<double>(end - begin) / static_cast<double>(count);
    score.accuracy += share * out[0].scalar<float>();
    score.loss += share * out[1].scalar<float>();
  }
  return score;
}

}  // namespace millrace::parallel

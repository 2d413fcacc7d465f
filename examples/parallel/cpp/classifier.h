// The network that most programs train: images in ten classes, by dense layers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "examples/support/fashion_mnist.h"
#include "millrace/millrace.h"

namespace millrace::parallel {

struct Classifier {
  Output images;  // fed: uint8 [n, 784]
  Output labels;  // fed: int32 [n]
  Output logits;
  Output loss;      // the mean over the images
  Output accuracy;  // the share of the images that are classified right
};

struct ClassifierOptions;
// Maps the pixels, float [n, 784] from 0 to 1, to logits [n, 10].
using MakeLogits =
    std::function<Output(const VariableScope& variables, const Output& pixels,
                         const ClassifierOptions& options)>;

// Dense layers with ReLU, which are called "hidden1", "hidden2", ..., and one
// without, "logits".
Output DenseLogits(const VariableScope& variables, const Output& pixels,
                   const ClassifierOptions& options);

struct ClassifierOptions {
  std::vector<int64_t> hidden = {300, 100};  // units of the layers
  uint64_t seed = 1;                         // of the initial values
  MakeLogits logits = DenseLogits;
  std::vector<std::string> devices;  // for logits that are cut over devices

  // The seed of a layer's kernel: 0, 1, ...
  int64_t SeedOf(size_t layer) const {
    return static_cast<int64_t>(10 * seed + layer + 1);
  }
  // Of all variables, in bytes.
  int64_t Bytes() const;
};

// Graphs of several clients share the variables by their names. Within a graph
// those of a scope with Reuse::kAuto are shared.
Classifier MakeClassifier(const VariableScope& variables,
                          const ClassifierOptions& options);

struct Score {
  double accuracy = 0;
  double loss = 0;  // the mean
};

// Says how good values of the variables are, in this process. One thread.
class Scorer {
 public:
  explicit Scorer(const ClassifierOptions& options);
  // `values`: of the trainable variables, in the order in which MakeClassifier
  // makes them.
  StatusOr<Score> Of(const std::vector<Tensor>& values,
                     const examples::ImageSet& images);

 private:
  const Scope scope_;
  const Classifier classifier_;
  Session session_;
};

}  // namespace millrace::parallel

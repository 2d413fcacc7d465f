// The next character of a text, by an LSTM over the characters before it.
#include <algorithm>
#include <set>

#include "examples/networks/license_texts.h"
#include "examples/networks/networks.h"
#include "millrace/millrace.h"

namespace millrace::networks {
namespace {

constexpr double kLstmRate = 0.003;
constexpr double kMaxNorm = 5;
constexpr int64_t kTestShare = 10;  // the last tenth is for the test
constexpr int64_t kTestBatches = 10;

// Characters as numbers, in windows of a length and one more.
struct Text {
  std::vector<int32_t> characters;
  int64_t vocabulary = 0;
  int64_t length = 0;  // of a window

  int64_t windows() const {
    return (static_cast<int64_t>(characters.size()) - 1) / length;
  }
  int64_t test_windows() const { return windows() / kTestShare; }
  int64_t training_windows() const { return windows() - test_windows(); }
  Tensor Batch(const std::vector<int64_t>& numbers) const {
    Tensor batch = Tensor::New(
        DataType::kInt32,
        TensorShape({static_cast<int64_t>(numbers.size()), length + 1}));
    auto out = batch.mutable_flat<int32_t>();
    for (size_t i = 0; i < numbers.size(); ++i) {
      std::copy_n(characters.begin() + numbers[i] * length, length + 1,
                  out.begin() + static_cast<int64_t>(i) * (length + 1));
    }
    return batch;
  }
};

StatusOr<Text> LoadText(const std::string& folder, int64_t length) {
  MR_ASSIGN_OR_RETURN(const std::vector<std::string> licenses,
                      LoadLicenses(folder));
  std::string all;
  for (const std::string& license : licenses) all += license;
  const std::set<unsigned char> used(all.begin(), all.end());
  const std::vector<unsigned char> order(used.begin(), used.end());
  Text text;
  text.length = length;
  text.vocabulary = static_cast<int64_t>(order.size());
  for (const char c : all) {
    const auto at = std::lower_bound(order.begin(), order.end(),
                                     static_cast<unsigned char>(c));
    text.characters.push_back(static_cast<int32_t>(at - order.begin()));
  }
  if (text.test_windows() < kTestBatches) {
    return InvalidArgument("the texts in '", folder, "' have ", all.size(),
                           " characters, expected at least ",
                           kTestShare * kTestBatches * length + 1);
  }
  return text;
}

// The mean loss of all characters of a window but the first.
Output Loss(const VariableScope& v, const Output& windows, const Text& text,
            int64_t units) {
  const Scope& s = v.scope();
  const std::vector<Output> at =
      ops::Unpack(s, windows, text.length + 1, {.axis = 1});
  if (at.size() != static_cast<size_t>(text.length + 1)) return {};
  std::vector<Output> inputs;
  std::vector<Output> targets;
  for (size_t i = 0; i + 1 < at.size(); ++i) {
    inputs.push_back(ops::OneHot(
        s, at[i], static_cast<int32_t>(text.vocabulary), 1.0f, 0.0f));
    targets.push_back(at[i + 1]);
  }
  train::BasicLstmCell cell(units);
  const auto rnn = train::StaticRnn(
      v.WithInitializer(GlorotUniform({.seed = 1})), cell, inputs);
  if (rnn.outputs.empty()) return {};
  const Output logits =
      train::Dense(v, ops::ConcatV2(s, rnn.outputs, 0), text.vocabulary,
                   {.kernel_initializer = GlorotUniform({.seed = 2})});
  return train::SparseSoftmaxCrossEntropy(s, ops::ConcatV2(s, targets, 0),
                                          logits);
}

StatusOr<Network> Build(const Scope& s, const VariableScope& v,
                        const TrainingOptions& options, const Text& text) {
  Network net;
  const ops::Variable step = train::CreateGlobalStep(s);
  const Output windows =
      ops::Placeholder(s.WithOpName("windows"), DataType::kInt32,
                       {.shape = PartialShape({-1, text.length + 1})});
  net.feeds = {windows};
  net.loss = Loss(v, windows, text, options.is_small ? 32 : 128);
  MR_RETURN_IF_ERROR(s.status());
  train::AdamOptimizer optimizer(kLstmRate);
  auto gradients = optimizer.ComputeGradients(s, net.loss);
  std::vector<Gradient> list;
  for (const auto& pair : gradients) list.push_back(pair.gradient);
  list = train::ClipByGlobalNorm(s, list, kMaxNorm).gradients;
  for (size_t i = 0; i < gradients.size(); ++i) gradients[i].gradient = list[i];
  net.train_op = optimizer.ApplyGradients(s, gradients, {.global_step = step});
  MR_RETURN_IF_ERROR(s.status());
  net.next = [&text, batch = options.batch](int64_t number) {
    return std::vector<Tensor>{
        text.Batch(BatchOf(number, batch, text.training_windows()))};
  };
  net.test_name = "test loss";
  net.test = net.loss;
  const int64_t first = text.training_windows();
  const int64_t size = text.test_windows() / kTestBatches;
  for (int64_t i = 0; i < kTestBatches; ++i) {
    std::vector<int64_t> numbers;
    for (int64_t j = 0; j < size; ++j) numbers.push_back(first + i * size + j);
    net.test_feeds.push_back({text.Batch(numbers)});
  }
  return net;
}

}  // namespace

Status LicenseLstm(Cluster& cluster, TrainingOptions options) {
  if (options.steps == 0) options.steps = options.is_small ? 400 : 2000;
  if (options.batch == 0) options.batch = options.is_small ? 16 : 32;
  MR_ASSIGN_OR_RETURN(const Text text,
                      LoadText(options.data, options.is_small ? 12 : 40));
  return Train(cluster, options, [&](const Scope& s, const VariableScope& v) {
    return Build(s, v, options, text);
  });
}

}  // namespace millrace::networks

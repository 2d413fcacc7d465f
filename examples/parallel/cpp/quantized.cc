// A trained network in 8 bits: its size, how often it is right, and how many
// queries a second it answers in this process.
//
// The network has three layers of 1,024 units. It is trained as floats, and
// train::QuantizeGraph makes its weights and the outputs of its units 8-bit
// integers: some batches of the training images show which ranges they need.
// Both networks then answer the test images, in turns of a fraction of a
// second, so that whatever else the machine does slows down both. No cluster is
// needed.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "examples/parallel/cpp/classifier.h"
#include "examples/parallel/cpp/images.h"
#include "examples/parallel/cpp/picture.h"
#include "examples/parallel/cpp/table.h"
#include "millrace/millrace.h"

namespace millrace::parallel {
namespace {

constexpr int64_t kQuantizedTrainBatch = 100;
constexpr int64_t kCalibrationBatches = 10;
constexpr int64_t kAnsweredAtOnce = 500;
constexpr int64_t kQueryBatch = 64;
// What 8 bits have to be worth on a processor with dot products of bytes.
constexpr double kLeastFaster = 1.5, kMostLost = 0.01, kMostSize = 0.26;

struct QuantizedSize {
  std::vector<int64_t> hidden = {1'024, 1'024, 1'024};
  int64_t steps = 2'000;
  int windows = 9;
  double window_s = 0.5;
};

// A graph that answers queries: constants, and no variables.
class AnsweringNetwork {
 public:
  static StatusOr<std::unique_ptr<AnsweringNetwork>> Make(
      const std::string& name, int64_t bytes, const GraphDef& graph,
      const Classifier& like) {
    const Scope scope = Scope::NewRoot();
    MR_RETURN_IF_ERROR(scope.graph().Import(graph));
    MR_ASSIGN_OR_RETURN(const Output images,
                        scope.graph().FindOutput(like.images.name()));
    MR_ASSIGN_OR_RETURN(const Output logits,
                        scope.graph().FindOutput(like.logits.name()));
    std::unique_ptr<AnsweringNetwork> made(
        new AnsweringNetwork(name, bytes, scope));
    MR_ASSIGN_OR_RETURN(made->answer_,
                        made->session_.Prepare({images}, {logits}));
    return made;
  }

  const std::string& name() const { return name_; }
  double bytes() const { return static_cast<double>(bytes_); }

  StatusOr<double> Accuracy(const examples::ImageSet& set) const {
    const int64_t count = set.labels.dim(0);
    int64_t right = 0;
    for (int64_t begin = 0; begin < count; begin += kAnsweredAtOnce) {
      const int64_t end = std::min(count, begin + kAnsweredAtOnce);
      MR_ASSIGN_OR_RETURN(const std::vector<Tensor> out,
                          answer_.Run({set.images.Rows(begin, end)}));
      const float* logits = out[0].flat<float>().data();
      for (int64_t i = begin; i < end; ++i, logits += examples::kClasses) {
        const auto best = std::max_element(logits, logits + examples::kClasses);
        right +=
            best - logits == set.labels.flat<int32_t>()[static_cast<size_t>(i)];
      }
    }
    return static_cast<double>(right) / static_cast<double>(count);
  }

  // Answers queries in batches for some seconds, and notes how many a second.
  Status Window(const examples::ImageSet& set, int64_t batch, double seconds) {
    const int64_t begin = NowNanos();
    const int64_t places = set.labels.dim(0) - batch;
    int64_t answered = 0;
    double took = 0;
    while (took < seconds) {
      const int64_t at = answered % places;
      MR_RETURN_IF_ERROR(
          answer_.Run({set.images.Rows(at, at + batch)}).status());
      answered += batch;
      took = static_cast<double>(NowNanos() - begin) * 1e-9;
    }
    rates_[batch].push_back(static_cast<double>(answered) / took);
    return OkStatus();
  }
  void ForgetWindows(int64_t batch) { rates_.erase(batch); }

  // The median of the windows.
  double Rate(int64_t batch) const {
    std::vector<double> rates = rates_.at(batch);
    std::sort(rates.begin(), rates.end());
    return rates[rates.size() / 2];
  }

 private:
  AnsweringNetwork(std::string name, int64_t bytes, const Scope& scope)
      : name_(std::move(name)), bytes_(bytes), session_(scope) {}

  const std::string name_;
  const int64_t bytes_;
  Session session_;
  Callable answer_;
  std::map<int64_t, std::vector<double>> rates_;  // by the size of the batch
};

Status TrainInProcess(Session& session, const Scope& s, const Classifier& net,
                      const examples::ImageSet& images, int64_t steps) {
  train::MomentumOptimizer rule(0.02, 0.9);
  const Operation train_op = rule.Minimize(s, net.loss);
  MR_RETURN_IF_ERROR(session.RunTargets({ops::GlobalVariablesInitializer(s)}));
  for (int64_t step = 0; step < steps; ++step) {
    const examples::ImageSet batch =
        BatchOf(images, step, kQuantizedTrainBatch);
    MR_RETURN_IF_ERROR(session.RunTargets(
        {{net.images, batch.images}, {net.labels, batch.labels}}, {train_op}));
  }
  return OkStatus();
}

using AnsweringNetworks = std::vector<std::unique_ptr<AnsweringNetwork>>;

Status MeasureInTurns(const AnsweringNetworks& networks,
                      const examples::ImageSet& set,
                      const QuantizedSize& size) {
  for (const int64_t batch : {kQueryBatch, int64_t{1}}) {
    // The first windows are longer, and do not count.
    for (int i = -1; i < size.windows; ++i) {
      for (const auto& network : networks) {
        MR_RETURN_IF_ERROR(network->Window(set, batch, size.window_s));
        if (i < 0) network->ForgetWindows(batch);
      }
    }
  }
  return OkStatus();
}

void SayVerdict(const AnsweringNetworks& networks, double lost) {
  const double size = networks[1]->bytes() / networks[0]->bytes();
  const double faster =
      networks[1]->Rate(kQueryBatch) / networks[0]->Rate(kQueryBatch);
  const auto say = [](bool good, const std::string& what) {
    std::printf("%s %s\n", good ? "pass" : "fail", what.c_str());
  };
  say(lost <= kMostLost,
      absl::StrFormat("accuracy within 1 %% of that in float: %+.2f %%",
                      -100 * lost));
  say(size <= kMostSize, absl::StrFormat("a quarter of the size: %.3f", size));
  say(faster >= kLeastFaster,
      absl::StrFormat("at least %g times the queries/s in batches of %d: %.2f",
                      kLeastFaster, kQueryBatch, faster));
}

}  // namespace

Status InEightBits(const Options& options) {
  const QuantizedSize size = options.is_small
                                 ? QuantizedSize{.hidden = {128, 128},
                                                 .steps = 200,
                                                 .windows = 3,
                                                 .window_s = 0.05}
                                 : QuantizedSize();
  MR_ASSIGN_OR_RETURN(const Images images, LoadImages(options));
  const Scope s = Scope::NewRoot();
  const Classifier net = MakeClassifier(
      VariableScope(s), {.hidden = size.hidden, .seed = options.seed});
  Session session(s);
  std::printf("training on %s ...\n", images.source.c_str());
  std::fflush(stdout);
  MR_RETURN_IF_ERROR(
      TrainInProcess(session, s, net, images.training, size.steps));

  std::vector<std::vector<Feed>> batches;
  for (int64_t i = 0; i < kCalibrationBatches; ++i) {
    batches.push_back(
        {{net.images,
          BatchOf(images.training, i, kQuantizedTrainBatch).images}});
  }
  MR_ASSIGN_OR_RETURN(const GraphDef frozen,
                      train::FreezeGraph(session, {net.logits}));
  MR_ASSIGN_OR_RETURN(const train::QuantizedGraph quantized,
                      train::QuantizeGraph(session, {net.logits}, batches));
  std::puts(quantized.report.Text().c_str());
  AnsweringNetworks networks(2);
  MR_ASSIGN_OR_RETURN(networks[0],
                      AnsweringNetwork::Make(
                          "float", quantized.report.bytes_before, frozen, net));
  MR_ASSIGN_OR_RETURN(networks[1], AnsweringNetwork::Make(
                                       "8 bits", quantized.report.bytes_after,
                                       quantized.graph, net));
  MR_RETURN_IF_ERROR(MeasureInTurns(networks, images.test, size));

  Table table({"network", "size", "accuracy",
               absl::StrCat("queries/s, batches of ", kQueryBatch),
               "queries/s, one at a time", "of float's"});
  std::vector<double> accuracies;
  std::vector<Bar> rates, sizes;
  constexpr double kMega = 1e6;
  for (const auto& network : networks) {
    MR_ASSIGN_OR_RETURN(const double accuracy, network->Accuracy(images.test));
    const double rate = network->Rate(kQueryBatch);
    accuracies.push_back(accuracy);
    rates.push_back({.name = network->name(), .value = rate});
    sizes.push_back(
        {.name = network->name(), .value = network->bytes() / kMega});
    table.Add({network->name(), Bytes(network->bytes()), Percent(accuracy),
               Count(rate), Count(network->Rate(1)),
               Fixed(rate / networks[0]->Rate(kQueryBatch), 2)});
  }
  Findings findings(options);
  findings.Show(
      "A network in 8 bits", table,
      absl::StrCat("Layers of ", absl::StrJoin(size.hidden, ", "),
                   " units, answered in this process, on ", images.source,
                   ": the median of windows in turns."));
  if (!options.is_small) SayVerdict(networks, accuracies[0] - accuracies[1]);
  findings.Draw(
      "quantized",
      Picture("A network in 8 bits",
              {BarsPanel(absl::StrCat("queries/s in batches of ", kQueryBatch),
                         rates),
               BarsPanel("MB of constants", sizes)}));
  return findings.Write();
}

}  // namespace millrace::parallel

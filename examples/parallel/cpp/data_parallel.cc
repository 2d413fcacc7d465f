// Four forms of data parallelism: a network on two workers, whose variables are
// on a parameter server.
//
//   in-graph        one client has the networks of both workers in one graph
//   between-graph   each worker has a client with a graph of its own
//   synchronous     one update by the mean of both workers' gradients
//   asynchronous    each updates the variables when it has a gradient
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "examples/parallel/cpp/picture.h"
#include "examples/parallel/cpp/replicas.h"
#include "examples/parallel/cpp/table.h"
#include "millrace/millrace.h"

namespace millrace::parallel {
namespace {

constexpr int kReplicas = 2;

class Forms {
 public:
  Forms(const Options& options, Cluster& cluster, const Images& images)
      : is_small_(options.is_small),
        cluster_(cluster),
        images_(images),
        table_({"form", "updates", "examples/s", "accuracy", "loss",
                absl::StrFormat("to %.0f %%", 100 * goal())}) {
    race_.classifier.seed = options.seed;
    if (is_small_) race_.classifier.hidden = {32};
    race_.end.steps = is_small_ ? 100 : 3'000;
    race_.look_ms = is_small_ ? 50 : 250;
  }

  Status InGraph(const std::string& name, int workers, int64_t batch,
                 Updates updates) {
    const Towers towers =
        CopiesOnWorkers(cluster_, race_.classifier, workers, updates, Rule());
    return Add(name,
               TrainTowers(cluster_, images_, race_, towers, {.batch = batch}));
  }

  Status BetweenGraphs(const std::string& name, const MakeStep& make) {
    return Add(name, TrainBetweenGraphs(cluster_, images_, race_, make,
                                        {.batch = batch()}));
  }

  MakeRule Rule() const { return Momentum(0.02, 0.9); }
  int64_t batch() const { return is_small_ ? 20 : 50; }

  Status Show(Findings findings) const {
    const std::string title = "Four forms of data parallelism";
    findings.Show(absl::StrCat(title, " (", images_.source, ")"), table_,
                  "The synchronous forms make the values that one worker makes "
                  "of batches that are as large as those of both; the "
                  "asynchronous ones make twice as many updates, each by a "
                  "gradient of half as many examples, and nobody waits for the "
                  "other.");
    findings.Draw("data_parallel",
                  Picture(title, {LinesPanel("seconds", "accuracy", curves_),
                                  BarsPanel("examples/s", rates_)}));
    return findings.Write();
  }

 private:
  double goal() const { return is_small_ ? 0.4 : 0.85; }

  Status Add(const std::string& name, const StatusOr<RaceResult>& result) {
    MR_RETURN_IF_ERROR(result.status());
    const double rate =
        static_cast<double>(kReplicas * batch() * race_.end.steps) /
        result->seconds;
    table_.Add({name, Count(static_cast<double>(result->updates)), Count(rate),
                Percent(result->score.accuracy), Fixed(result->score.loss, 4),
                Seconds(result->SecondsTo(goal()))});
    curves_.push_back({.name = name, .points = result->curve});
    rates_.push_back({.name = name, .value = rate});
    return OkStatus();
  }

  const bool is_small_;
  Cluster& cluster_;
  const Images& images_;
  RaceOptions race_ = {.clients = kReplicas};
  Table table_;
  std::vector<Line> curves_;
  std::vector<Bar> rates_;
};

}  // namespace

Status DataParallel(const Options& options) {
  MR_ASSIGN_OR_RETURN(const Images images, LoadImages(options));
  MR_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster,
                      Cluster::Start(options, {.ps = 1, .workers = kReplicas}));
  Forms forms(options, *cluster, images);
  const int64_t batch = forms.batch();
  MR_RETURN_IF_ERROR(forms.InGraph("one worker, batches twice as large", 1,
                                   kReplicas * batch, Updates::kSynchronous));
  MR_RETURN_IF_ERROR(forms.InGraph("in-graph, synchronous", kReplicas, batch,
                                   Updates::kSynchronous));
  MR_RETURN_IF_ERROR(
      forms.BetweenGraphs("between-graph, synchronous",
                          Synchronous(forms.Rule(), kReplicas, kReplicas)));
  MR_RETURN_IF_ERROR(forms.InGraph("in-graph, asynchronous", kReplicas, batch,
                                   Updates::kAsynchronous));
  MR_RETURN_IF_ERROR(forms.BetweenGraphs("between-graph, asynchronous",
                                         Asynchronous(forms.Rule())));
  return forms.Show(Findings(options));
}

}  // namespace millrace::parallel

// One network that answers queries on all devices while it trains.
//
// The variables are on a parameter server. Each worker trains the network, and
// has a copy of its variables by which it answers: a query is one image, and
// the copy is taken anew several times a second, so the answers get better
// while the training goes on.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "examples/parallel/cpp/classifier.h"
#include "examples/parallel/cpp/cluster.h"
#include "examples/parallel/cpp/images.h"
#include "examples/parallel/cpp/picture.h"
#include "examples/parallel/cpp/race.h"
#include "examples/parallel/cpp/table.h"
#include "millrace/millrace.h"

namespace millrace::parallel {
namespace {

constexpr int kServing = 2;      // workers
constexpr size_t kWindows = 25;  // points of the curve

struct ServingSize {
  double seconds = 12;  // of a phase
  double refresh_seconds = 0.25;
  int64_t batch = 50;
  double rate = 0.02;
  std::vector<int64_t> hidden = {300, 100};
};

struct Query {
  double at = 0;    // seconds since the phase began
  double took = 0;  // seconds
  bool is_right = false;
};

// What the clients of a phase did.
struct Served {
  std::vector<Query> queries;
  int64_t examples = 0;  // trained on

  double RightFrom(double begin, double end) const {
    size_t all = 0;
    size_t right = 0;
    for (const Query& query : queries) {
      if (query.at < begin || query.at >= end) continue;
      ++all;
      if (query.is_right) ++right;
    }
    return all == 0 ? -1
                    : static_cast<double>(right) / static_cast<double>(all);
  }
  // How long the fastest `share` of the queries took at most; -1 of none.
  double Took(double share) const {
    std::vector<double> times;
    for (const Query& query : queries) times.push_back(query.took);
    if (times.empty()) return -1;
    std::sort(times.begin(), times.end());
    const auto place =
        static_cast<size_t>(share * static_cast<double>(times.size()));
    return times[std::min(place, times.size() - 1)];
  }
};

// A client that trains on one worker.
class TrainingClient {
 public:
  TrainingClient(const Cluster& cluster, int worker, const ServingSize& size,
                 const ClassifierOptions& options)
      : worker_(worker),
        batch_(size.batch),
        scope_(cluster.ReplicaOf(cluster.NewGraph(), worker)),
        session_(scope_, cluster.Master(worker)) {
    const ops::Variable step = train::CreateGlobalStep(scope_);
    net_ = MakeClassifier(VariableScope(scope_), options);
    train::MomentumOptimizer rule(size.rate, 0.9);
    train_op_ = rule.Minimize(scope_, net_.loss, {.global_step = step});
    initialize_ = ops::GlobalVariablesInitializer(scope_);
  }

  Status Initialize() { return session_.RunTargets({initialize_}); }

  Status Run(const Images& images, double seconds, Served* served) {
    const int64_t begin = NowNanos();
    for (int64_t step = 0; SecondsSince(begin) < seconds; ++step) {
      const examples::ImageSet batch =
          BatchOf(images.training, step * kServing + worker_, batch_);
      const std::vector<Feed> feeds = {{net_.images, batch.images},
                                       {net_.labels, batch.labels}};
      MR_RETURN_IF_ERROR(session_.RunTargets(feeds, {train_op_}));
      served->examples += batch_;
    }
    return OkStatus();
  }

 private:
  const int worker_;
  const int64_t batch_;
  const Scope scope_;
  Session session_;
  Classifier net_;
  Operation train_op_;
  Operation initialize_;
};

// A client that asks one worker, which has a copy of the variables.
class AskingClient {
 public:
  AskingClient(const Cluster& cluster, int worker, const ServingSize& size,
               const ClassifierOptions& options)
      : worker_(worker),
        refresh_seconds_(size.refresh_seconds),
        graph_(cluster.NewGraph()),
        session_(graph_, cluster.Master(worker)) {
    const Scope here = graph_.WithDevice(Cluster::Worker(worker));
    const VariableScope variables(cluster.ReplicaOf(graph_, worker));
    MakeClassifier(variables, options);
    const std::vector<ops::Variable> trained = ops::TrainableVariables(graph_);
    const Classifier copy =
        MakeClassifier(variables.WithScope(here).Sub("copy"), options);
    const std::vector<ops::Variable> all = ops::TrainableVariables(graph_);
    if (!graph_.ok()) return;  // which a run reports
    std::vector<ControlInput> copied;
    for (size_t i = 0; i < trained.size(); ++i) {
      copied.emplace_back(
          all[trained.size() + i].Assign(here, trained[i].value()));
    }
    refresh_ = ops::Group(here, copied);
    image_ = copy.images;
    answer_ = ops::ArgMax(here, copy.logits, 1);
  }

  Status Run(const Images& images, double seconds, Served* served) {
    MR_ASSIGN_OR_RETURN(const Callable ask,
                        session_.Prepare({image_}, {answer_}));
    const auto labels = images.test.labels.flat<int32_t>();
    const int64_t begin = NowNanos();
    double refreshed = -refresh_seconds_;
    double now = 0;
    for (int64_t number = worker_; (now = SecondsSince(begin)) < seconds;
         number += kServing) {
      if (now - refreshed >= refresh_seconds_) {
        MR_RETURN_IF_ERROR(session_.RunTargets({refresh_}));
        refreshed = std::exchange(now, SecondsSince(begin));
      }
      const int64_t row = number % images.test.labels.dim(0);
      MR_ASSIGN_OR_RETURN(const std::vector<Tensor> out,
                          ask.Run({images.test.images.Rows(row, row + 1)}));
      const double at = SecondsSince(begin);
      served->queries.push_back({.at = at,
                                 .took = at - now,
                                 .is_right = out[0].flat<int64_t>()[0] ==
                                             labels[static_cast<size_t>(row)]});
    }
    return OkStatus();
  }

 private:
  const int worker_;
  const double refresh_seconds_;
  const Scope graph_;
  Session session_;
  Operation refresh_;
  Output image_;
  Output answer_;
};

enum class Does { kTrain, kAnswer, kBoth };

class ServingPhases {
 public:
  ServingPhases(const ServingSize& size, const Cluster& cluster,
                const Images& images, uint64_t seed)
      : size_(size), images_(images) {
    const ClassifierOptions options = {.hidden = size.hidden, .seed = seed};
    for (int i = 0; i < kServing; ++i) {
      trainers_.push_back(
          std::make_unique<TrainingClient>(cluster, i, size, options));
      askers_.push_back(
          std::make_unique<AskingClient>(cluster, i, size, options));
    }
  }

  Status BeginAnew() { return trainers_[0]->Initialize(); }

  StatusOr<Served> Run(Does does) {
    std::vector<Served> each(2 * kServing);
    MR_RETURN_IF_ERROR(OnThreads(2 * kServing, [&](int i) {
      const auto client = static_cast<size_t>(i / 2);
      Served* const served = &each[static_cast<size_t>(i)];
      if (i % 2 == 0) {
        return does == Does::kAnswer
                   ? OkStatus()
                   : trainers_[client]->Run(images_, size_.seconds, served);
      }
      return does == Does::kTrain
                 ? OkStatus()
                 : askers_[client]->Run(images_, size_.seconds, served);
    }));
    Served all;
    for (const Served& one : each) {
      all.examples += one.examples;
      all.queries.insert(all.queries.end(), one.queries.begin(),
                         one.queries.end());
    }
    return all;
  }

 private:
  const ServingSize& size_;
  const Images& images_;
  std::vector<std::unique_ptr<TrainingClient>> trainers_;
  std::vector<std::unique_ptr<AskingClient>> askers_;
};

// Adds the row of a phase.
void AddPhase(const std::string& name, const Served& served, double seconds,
              Table* table) {
  const auto per_second = [&](double number) {
    return number > 0 ? number / seconds : -1;
  };
  table->Add({name,
              Count(per_second(static_cast<double>(served.queries.size()))),
              Seconds(served.Took(0.5)), Seconds(served.Took(0.99)),
              Count(per_second(static_cast<double>(served.examples))),
              Percent(served.RightFrom(0, seconds + 1)),
              Percent(served.RightFrom(0.9 * seconds, seconds + 1))});
}

Line RightAnswers(const std::string& name, const Served& served,
                  double seconds) {
  Line line = {.name = name};
  const double window = seconds / static_cast<double>(kWindows);
  for (size_t i = 0; i < kWindows; ++i) {
    const double begin = static_cast<double>(i) * window;
    const double right = served.RightFrom(begin, begin + window);
    if (right >= 0) line.points.emplace_back(begin, right);
  }
  return line;
}

}  // namespace

Status ServingWhileTraining(const Options& options) {
  const ServingSize size = options.is_small
                               ? ServingSize{.seconds = 0.6,
                                             .refresh_seconds = 0.05,
                                             .batch = 20,
                                             .rate = 0.05,
                                             .hidden = {32}}
                               : ServingSize();
  MR_ASSIGN_OR_RETURN(const Images images, LoadImages(options));
  MR_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster,
                      Cluster::Start(options, {.ps = 1, .workers = kServing}));
  ServingPhases phases(size, *cluster, images, options.seed);
  MR_RETURN_IF_ERROR(phases.BeginAnew());
  MR_ASSIGN_OR_RETURN(const Served trained, phases.Run(Does::kTrain));
  MR_ASSIGN_OR_RETURN(const Served answered, phases.Run(Does::kAnswer));
  MR_RETURN_IF_ERROR(phases.BeginAnew());
  MR_ASSIGN_OR_RETURN(const Served both, phases.Run(Does::kBoth));

  Table table({"what", "queries/s", "median", "of 99 in 100", "examples/s",
               "right", "last tenth"});
  AddPhase("training alone", trained, size.seconds, &table);
  AddPhase("answering alone", answered, size.seconds, &table);
  AddPhase("both", both, size.seconds, &table);
  const auto rate = [&](size_t number) {
    return static_cast<double>(number) / size.seconds;
  };
  Findings findings(options);
  findings.Show(
      absl::StrCat("Answering while training (", images.source, ")"), table,
      absl::StrFormat(
          "Queries of one image each, on %d workers, one after the other on "
          "each; the variables are copied every %g s. Both: the training "
          "begins anew, so the answers are those of a network that learns. The "
          "last tenth is the share of right answers at the end.",
          kServing, size.refresh_seconds));
  findings.Draw(
      "serving_while_training",
      Picture(
          "One network that answers while it trains",
          {LinesPanel("seconds", "right answers",
                      {RightAnswers("trained", answered, size.seconds),
                       RightAnswers("while it trains", both, size.seconds)}),
           BarsPanel("queries/s",
                     {{"answering alone", rate(answered.queries.size())},
                      {"and training", rate(both.queries.size())}})}));
  return findings.Write();
}

}  // namespace millrace::parallel

// Networks that are split over workers: by layers, by vertical slices of dense
// layers, by filters and by rows of convolutional ones, a recurrent network
// with a worker for each layer, and pipelines of micro-batches. Each form gives
// the values of the network on one worker; the table tells how long a step
// takes, what it moves, and, of pipelines, for which share of the time a stage
// has nothing to do, next to (p - 1) / (m + p - 1) for m micro-batches at p
// stages of equal work.
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "examples/parallel/cpp/cluster.h"
#include "examples/parallel/cpp/model_forms.h"
#include "examples/parallel/cpp/picture.h"
#include "examples/parallel/cpp/race.h"
#include "examples/parallel/cpp/table.h"
#include "examples/support/cores.h"
#include "millrace/millrace.h"

namespace millrace::parallel {
namespace {

constexpr int kModelWorkers = 3;
constexpr int kStepsBeforeValues = 3;
// Sums are taken in another order, which three steps enlarge.
constexpr double kMostDifference = 2e-3;
constexpr double kIdleTolerance = 0.1;  // of the formula's share

double GreatestDifference(const Tensor& a, const Tensor& b) {
  if (!(a.shape() == b.shape())) return INFINITY;
  double greatest = 0;
  for (size_t i = 0; i < a.flat<float>().size(); ++i) {
    const double difference =
        std::abs(static_cast<double>(a.flat<float>()[i]) - b.flat<float>()[i]);
    if (!(difference <= greatest)) greatest = difference;  // also if it is none
  }
  return greatest;
}

// Whether each stage began its micro-batches in their order.
Status CheckOrder(const ModelForm& form, bool is_trained,
                  const train::PipelineTrace& trace) {
  for (size_t i = 0; i < trace.stages.size(); ++i) {
    std::vector<train::PipelineTask> expected;
    if (is_trained) {
      expected = train::TasksOfStage(form.order, static_cast<int64_t>(i),
                                     form.stages, form.micro_batches);
    } else {
      for (int64_t m = 0; m < form.micro_batches; ++m) {
        expected.push_back({train::PipelinePass::kForward, m});
      }
    }
    std::vector<train::PipelineTask> begun;
    for (const train::StageTrace::Run& run : trace.stages[i].runs) {
      begun.push_back(run.task);
    }
    if (begun != expected) {
      return Internal(form.name, ": stage ", i, " began ", begun.size(),
                      " micro-batches in another order than that of ",
                      expected.size(), " that it should begin");
    }
  }
  return OkStatus();
}

class ModelRuns {
 public:
  ModelRuns(const Options& options, Cluster& cluster)
      : is_small_(options.is_small),
        has_cores_(examples::OwnCores().size() >= 2),
        cluster_(cluster),
        table_({"form", "step", "bytes a step", "idle", "(p - 1)/(m + p - 1)",
                "within 10 %", "difference"}) {}

  Status Add(const ModelForm& form) {
    const Status ran = Run(form);
    const Status added = ran.ok() ? cluster_.Reset() : ran;
    return added.ok() ? added : Prefix(absl::StrCat(form.name, ": "), added);
  }

  Status Show(Findings findings) const {
    findings.Show(
        "Networks that are split over workers", table_,
        absl::StrCat(
            "Each worker has a core of its own, as far as there are some "
            "(here ",
            examples::OwnCores().size(),
            "). The last column is the greatest difference to the values of "
            "the network on one worker, after ",
            kStepsBeforeValues,
            " steps of training. The idle share is told from traces of steps; "
            "stages of training are not quite of equal work, those of queries "
            "are. Of these ",
            Verdict()));
    findings.Draw("model_parallel",
                  Picture("Networks that are split over workers",
                          {BarsPanel("step in ms", steps_),
                           LinesPanel("micro-batches", "idle share",
                                      {measured_, formula_})}));
    return findings.Write();
  }

 private:
  int timed_steps() const { return is_small_ ? 2 : 9; }
  int traced_steps() const { return is_small_ ? 2 : 25; }

  std::string Verdict() const {
    if (is_small_) return "nothing is demanded in small form.";
    if (!has_cores_) {
      return "nothing is demanded on one core, which the stages share.";
    }
    return absl::StrCat(within_, " of ", measured_.points.size(),
                        " are within 10 % of the formula: ",
                        within_ == measured_.points.size() ? "pass" : "fail",
                        ".");
  }

  Status Run(const ModelForm& form) {
    const ModelGraph graph = form.build(cluster_);
    MR_RETURN_IF_ERROR(graph.scope.status());
    const ControlInput step = graph.train_op ? ControlInput(graph.train_op)
                                             : ControlInput(graph.values);
    Session session(graph.scope, cluster_.Master());
    MR_RETURN_IF_ERROR(
        session.RunTargets({ops::GlobalVariablesInitializer(graph.scope)}));
    for (int i = 0; i < kStepsBeforeValues; ++i) {
      MR_RETURN_IF_ERROR(session.RunTargets({step}));
    }
    MR_ASSIGN_OR_RETURN(const std::vector<Tensor> values,
                        session.Run({graph.values}));
    const auto [unsplit, is_first] =
        unsplit_.try_emplace(form.network, values[0]);
    const double difference = GreatestDifference(unsplit->second, values[0]);
    if (!(difference <= kMostDifference)) {
      return Internal("values differ by ", difference,
                      " from those of the network on one worker");
    }
    MR_ASSIGN_OR_RETURN(const Timed timed, Time(session, step));
    double idle = -1;
    if (form.stages > 0) {
      MR_ASSIGN_OR_RETURN(idle, IdleShare(session, form, graph, step));
    }
    AddRow(form, timed, idle, is_first ? -1 : difference);
    return OkStatus();
  }

  struct Timed {
    double seconds = 0;  // of a step
    double bytes = 0;
  };
  StatusOr<Timed> Time(Session& session, const ControlInput& step) const {
    MR_ASSIGN_OR_RETURN(const int64_t before, cluster_.BytesBetweenTasks());
    std::vector<double> seconds;
    for (int i = 0; i < timed_steps(); ++i) {
      const int64_t start = NowNanos();
      MR_RETURN_IF_ERROR(session.RunTargets({step}));
      seconds.push_back(static_cast<double>(NowNanos() - start) / 1e9);
    }
    MR_ASSIGN_OR_RETURN(const int64_t after, cluster_.BytesBetweenTasks());
    return Timed{.seconds = Median(seconds),
                 .bytes = static_cast<double>(after - before) / timed_steps()};
  }

  // The median of some steps. A core that is slower than the other for a moment
  // lets the other wait, so that one step tells little.
  StatusOr<double> IdleShare(Session& session, const ModelForm& form,
                             const ModelGraph& graph,
                             const ControlInput& step) const {
    std::vector<double> shares;
    for (int i = 0; i < traced_steps(); ++i) {
      RunMetadata metadata;
      RunContext context;
      context.options.trace_level = TraceLevel::kFull;
      context.metadata = &metadata;
      MR_RETURN_IF_ERROR(session.RunTargets({step}, context));
      MR_ASSIGN_OR_RETURN(
          const train::PipelineTrace trace,
          train::TracePipeline(metadata.step_stats, graph.block));
      if (trace.stages.size() != static_cast<size_t>(form.stages)) {
        return Internal("found ", trace.stages.size(), " stages in the trace");
      }
      MR_RETURN_IF_ERROR(
          CheckOrder(form, static_cast<bool>(graph.train_op), trace));
      shares.push_back(trace.idle_share);
    }
    return Median(shares);
  }

  void AddRow(const ModelForm& form, const Timed& timed, double idle,
              double difference) {
    double formula = -1;
    std::string within = "-";
    if (form.stages > 0) {
      formula = train::IdleShareOf(form.stages, form.micro_batches);
    }
    if (form.network == "queries" && form.stages > 0) {
      const bool is_within =
          std::abs(idle - formula) <= kIdleTolerance * formula;
      if (!is_small_ && has_cores_) within = is_within ? "yes" : "no";
      within_ += is_within ? 1 : 0;
      const auto m = static_cast<double>(form.micro_batches);
      measured_.points.emplace_back(m, idle);
      formula_.points.emplace_back(m, formula);
    }
    table_.Add({form.name, Seconds(timed.seconds), Bytes(timed.bytes),
                Percent(idle), Percent(formula), within,
                difference < 0 ? "-" : absl::StrFormat("%.1e", difference)});
    steps_.push_back({.name = form.name, .value = 1e3 * timed.seconds});
  }

  const bool is_small_;
  const bool has_cores_;
  Cluster& cluster_;
  Table table_;
  std::map<std::string, Tensor> unsplit_;  // values by network
  std::vector<Bar> steps_;
  Line measured_ = {.name = "measured", .points = {}};
  Line formula_ = {.name = "(p - 1)/(m + p - 1)", .points = {}};
  size_t within_ = 0;
};

}  // namespace

Status ModelParallel(const Options& options) {
  ModelSizes sizes;
  IdleSizes idle;
  if (options.is_small) {
    sizes = {.batch = 24,
             .units = 16,
             .images = 8,
             .side = 12,
             .filters = 4,
             .times = 4,
             .recurrent = 8};
    idle = {.batch = 1024, .units = 256, .layers = 5, .narrow = 16};
  }
  std::vector<int> cores = examples::OwnCores();
  if (cores.size() > kModelWorkers) cores.resize(kModelWorkers);
  MR_ASSIGN_OR_RETURN(
      const std::unique_ptr<Cluster> cluster,
      Cluster::Start(options,
                     {.ps = 0, .workers = kModelWorkers, .cores = cores}));
  ModelRuns runs(options, *cluster);
  for (const ModelForm& form : ModelForms(sizes, options.seed)) {
    MR_RETURN_IF_ERROR(runs.Add(form));
  }
  MR_RETURN_IF_ERROR(runs.Add(QueriesOnOneWorker(idle)));
  for (const int64_t m : {2, 4, 8}) {
    MR_RETURN_IF_ERROR(runs.Add(QueriesInPipeline(idle, m)));
  }
  return runs.Show(Findings(options));
}

}  // namespace millrace::parallel

#include "tests/gpu_check/overlap.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_format.h"
#include "millrace/millrace.h"

namespace millrace::gpu_check {
namespace {

constexpr int kRuns = 7;

// The graph: a chain of products, and a large value that is fed, touched on the
// GPU and fetched again.
struct Work {
  explicit Work(bool small)
      : scope(Scope::NewRoot().WithDevice("/device:GPU:0")),
        size(small ? 64 : 4096),
        elements(small ? 1 << 12 : 1 << 25) {
    const Output start = ops::Variable(
        scope.WithOpName("start"),
        ops::RandomUniform(
            scope, ops::Const(scope, Tensor::Vector<int64_t>({size, size})),
            DataType::kFloat, {.seed = 1}));
    product = start;
    for (int i = 0; i < 20; ++i) {
      product = ops::MatMul(scope.WithOpName("product"), product, start);
    }
    fed = ops::Placeholder(scope.WithOpName("fed"), DataType::kFloat,
                           {.shape = PartialShape({elements})});
    fetched = ops::Neg(scope.WithOpName("fetched"), fed);
  }

  Scope scope;
  int64_t size, elements;
  Output product, fed, fetched;
};

StatusOr<double> Shortest(const Callable& run, std::vector<Tensor> feeds) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kRuns; ++i) {
    const int64_t start = NowNanos();
    MR_RETURN_IF_ERROR(run.Run(feeds).status());
    least = std::min(least, static_cast<double>(NowNanos() - start) / 1e9);
  }
  return least;
}

std::vector<std::string> Lines(const StepStats& stats) {
  int64_t begin = std::numeric_limits<int64_t>::max();
  for (const DeviceStepStats& device : stats.dev_stats) {
    for (const NodeExecStats& node : device.node_stats)
      begin = std::min(begin, node.all_start_nanos);
  }
  std::vector<std::pair<int64_t, std::string>> lines;
  for (const DeviceStepStats& device : stats.dev_stats) {
    for (const NodeExecStats& node : device.node_stats) {
      const int64_t start = node.all_start_nanos - begin;
      lines.emplace_back(
          start, absl::StrFormat(
                     "%10.1f %10.1f  %s  %s", static_cast<double>(start) / 1e3,
                     static_cast<double>(start + node.all_end_rel_nanos) / 1e3,
                     device.device, node.node_name));
    }
  }
  std::sort(lines.begin(), lines.end());
  std::vector<std::string> texts;
  for (auto& [start, text] : lines) texts.push_back(std::move(text));
  return texts;
}

}  // namespace

double Overlap::hidden_part() const {
  const double shorter = std::min(compute_seconds, copy_seconds);
  if (shorter <= 0) return 0;
  return std::clamp((compute_seconds + copy_seconds - both_seconds) / shorter,
                    0.0, 1.0);
}

StatusOr<Overlap> MeasureOverlap(bool small) {
  const Work work(small);
  SessionOptions options;
  options.config.gpu_options.allow_growth = true;
  Session session(work.scope, options);
  MR_RETURN_IF_ERROR(
      session.RunTargets({ops::GlobalVariablesInitializer(work.scope)}));
  const Tensor value =
      Tensor::Zeros(DataType::kFloat, TensorShape({work.elements}));
  Overlap found;
  MR_ASSIGN_OR_RETURN(const Callable compute,
                      session.Prepare({}, {}, {work.product}));
  MR_ASSIGN_OR_RETURN(found.compute_seconds, Shortest(compute, {}));
  MR_ASSIGN_OR_RETURN(const Callable copy,
                      session.Prepare({work.fed}, {work.fetched}));
  MR_ASSIGN_OR_RETURN(found.copy_seconds, Shortest(copy, {value}));
  MR_ASSIGN_OR_RETURN(
      const Callable both,
      session.Prepare({work.fed}, {work.fetched}, {work.product}));
  MR_ASSIGN_OR_RETURN(found.both_seconds, Shortest(both, {value}));
  RunMetadata metadata;
  RunContext context;
  context.options.trace_level = TraceLevel::kFull;
  context.metadata = &metadata;
  MR_RETURN_IF_ERROR(session
                         .Run({{work.fed, Literal(value)}}, {work.fetched},
                              {work.product}, context)
                         .status());
  found.trace = Lines(metadata.step_stats);
  return found;
}

}  // namespace millrace::gpu_check

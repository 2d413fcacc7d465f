#include "tests/fuzz/ops/round.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tests/fuzz/ops/case_maker.h"
#include "tests/fuzz/ops/child.h"

namespace millrace::fuzz {
namespace {

constexpr size_t kOpsOfChild = 8;
constexpr int kMostOfOneOp = 3;  // findings
constexpr size_t kMostLines = 45;
constexpr int64_t kPollMs = 10;
constexpr int64_t kProgressMs = 20'000;

// The report of a sanitizer, or all there is.
std::string Essential(const std::string& output) {
  const std::vector<absl::string_view> lines = absl::StrSplit(output, '\n');
  const auto begins = [](absl::string_view line) {
    return absl::StrContains(line, "ERROR: ") ||
           absl::StrContains(line, "runtime error: ");
  };
  auto first = std::find_if(lines.begin(), lines.end(), begins);
  if (first == lines.end()) first = lines.begin();
  const auto last =
      first + static_cast<int64_t>(std::min<size_t>(
                  kMostLines, static_cast<size_t>(lines.end() - first)));
  return absl::StrJoin(first, last, "\n");
}

// A child with the ops that it still has to run.
struct Worker {
  Child child;
  size_t op_end = 0;
  std::optional<Place> slow;  // a case that was slow once
};

class Round {
 public:
  Round(const Material& material, const std::vector<const FuzzedOp*>& ops,
        const RoundOptions& options)
      : material_(material),
        ops_(ops),
        options_(options),
        found_of_(ops.size()) {}

  RoundResult Run(Deadline end) {
    const size_t jobs = static_cast<size_t>(std::max(1, options_.jobs));
    for (size_t i = 0; i < jobs; ++i) {
      workers_.push_back(std::make_unique<Worker>());
      NextOps(*workers_.back());
    }
    Deadline show = Deadline::AfterMillis(kProgressMs);
    while (Running() && !end.expired()) {
      bool any = false;
      for (const auto& worker : workers_) any |= Watch(*worker);
      if (options_.progress && show.expired()) {
        show = Deadline::AfterMillis(kProgressMs);
        ShowProgress();
      }
      if (!any) SleepUntil(Deadline::AfterMillis(kPollMs));
    }
    result_.complete = !Running();
    for (const auto& worker : workers_) worker->child.Kill();
    Count();
    return std::move(result_);
  }

 private:
  bool Running() const {
    return std::any_of(workers_.begin(), workers_.end(),
                       [](const auto& w) { return w->child.running(); });
  }

  void NextOps(Worker& worker) {
    if (next_ == ops_.size()) return;
    const size_t begin = next_;
    next_ = worker.op_end = std::min(ops_.size(), begin + kOpsOfChild);
    Start(worker, {begin, options_.first_case});
  }

  void Start(Worker& worker, Place from) {
    worker.child.Start(material_, ops_, options_, from, worker.op_end);
  }

  // Returns whether the worker's process has ended.
  bool Watch(Worker& worker) {
    worker.child.EndIfSlow(options_.limit_ms);
    ChildEnd end;
    if (!worker.child.Ended(&end)) return false;
    if (end.problem.empty()) {
      NextOps(worker);
      return true;
    }
    if (end.slow && worker.slow != end.at) {
      worker.slow = end.at;  // perhaps the machine was busy
      Start(worker, end.at);
      return true;
    }
    Add(end, end.slow ? "" : Essential(worker.child.Output()));
    Place next = {end.at.op, end.at.number + 1};
    if (end.leaks || next.number >= options_.first_case + options_.cases ||
        found_of_[next.op] >= kMostOfOneOp) {
      next = {end.at.op + 1, options_.first_case};
    }
    if (next.op < worker.op_end) {
      Start(worker, next);
    } else {
      NextOps(worker);
    }
    return true;
  }

  void Add(const ChildEnd& end, std::string output) {
    Finding finding;
    finding.op = ops_[end.at.op]->def->name;
    finding.seed = options_.seed;
    finding.number = end.leaks ? -1 : end.at.number;
    finding.stage = end.stage;
    finding.problem = end.problem;
    finding.output = std::move(output);
    if (end.stage != Stage::kMake && !end.leaks) {
      finding.the_case = Describe(
          *MakeCase(material_, *ops_[end.at.op], options_.seed, end.at.number));
    }
    ++found_of_[end.at.op];
    if (options_.progress) {
      std::printf("%s\n", finding.Text().c_str());
      std::fflush(stdout);
    }
    result_.findings.push_back(std::move(finding));
  }

  void Count() {
    const auto sum = [this](Answer a) {
      int64_t n = 0;
      for (const auto& worker : workers_) n += worker->child.answers(a);
      return n;
    };
    result_.refused = sum(Answer::kRefused);
    result_.errors = sum(Answer::kError);
    result_.results = sum(Answer::kResult);
    result_.cases = result_.refused + result_.errors + result_.results;
    result_.ops = static_cast<int64_t>(next_);
  }

  void ShowProgress() {
    Count();
    std::printf("  seed %llu: %lld of %zu ops, %lld cases, %zu findings\n",
                static_cast<unsigned long long>(options_.seed),
                static_cast<long long>(result_.ops), ops_.size(),
                static_cast<long long>(result_.cases), result_.findings.size());
    std::fflush(stdout);
  }

  const Material& material_;
  const std::vector<const FuzzedOp*>& ops_;
  const RoundOptions& options_;
  std::vector<int> found_of_;
  std::vector<std::unique_ptr<Worker>> workers_;
  size_t next_ = 0;
  RoundResult result_;
};

}  // namespace

std::string Finding::Text() const {
  std::string text = absl::StrCat(op, ", ", StageName(stage), ": ", problem);
  if (!the_case.empty()) absl::StrAppend(&text, "\n", the_case);
  if (text.back() == '\n') text.pop_back();
  if (!output.empty()) absl::StrAppend(&text, "\n", output);
  if (text.back() == '\n') text.pop_back();
  absl::StrAppend(&text, "\nagain: ./dev fuzz ops --only ", op, " --seed ",
                  seed);
  if (number >= 0) absl::StrAppend(&text, " --case ", number);
  return text;
}

RoundResult RunRound(const Material& material,
                     const std::vector<const FuzzedOp*>& ops,
                     const RoundOptions& options, Deadline end) {
  return Round(material, ops, options).Run(end);
}

}  // namespace millrace::fuzz

// fuzz_ops: every op with odd inputs, attributes and handles.
#include <cstdio>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "millrace/base/machine.h"
#include "tests/fuzz/ops/round.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>

// What kernels allocate beside the limit of tensors is found by its size.
extern "C" const char* __asan_default_options();
const char* __asan_default_options() {
  return "max_allocation_size_mb=512:quarantine_size_mb=64";
}
#endif

namespace millrace::fuzz {
namespace {

constexpr char kHelp[] =
    "fuzz_ops [--minutes N] [--seed S] [--only OP|FAMILY,...] [--case K]\n"
    "\n"
    "Gives every op that has a CPU kernel odd inputs, attributes and handles.\n"
    "A round runs some cases of each op; the next one has the next seed.\n"
    "\n"
    "  --minutes N   round after round; without, one round\n"
    "  --seed S      of the first round (1)\n"
    "  --only A,B    ops or families\n"
    "  --case K      this case alone, of one round\n"
    "  --cases N     cases of each op in a round (40)\n"
    "  --limit_ms N  processor time for a case (5000)\n"
    "  --jobs J      processes that share the ops (one a core)\n";

int Usage(const std::string& problem) {
  std::fprintf(stderr, "%s\n\n%s", problem.c_str(), kHelp);
  return 2;
}

struct Options {
  RoundOptions round;
  int64_t minutes = 0, seed = 1, number = -1, jobs = 0;
  std::vector<std::string> only;
};

// Returns what is wrong, or "".
std::string Parse(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (i + 1 == argc) return "'" + flag + "' has no value, or is unknown";
    const std::string value = argv[++i];
    if (flag == "--only") {
      for (absl::string_view name : absl::StrSplit(value, ','))
        options->only.emplace_back(name);
      continue;
    }
    int64_t* const number = flag == "--minutes"    ? &options->minutes
                            : flag == "--seed"     ? &options->seed
                            : flag == "--case"     ? &options->number
                            : flag == "--cases"    ? &options->round.cases
                            : flag == "--limit_ms" ? &options->round.limit_ms
                            : flag == "--jobs"     ? &options->jobs
                                                   : nullptr;
    if (number == nullptr) return "unknown flag '" + flag + "'";
    if (!absl::SimpleAtoi(value, number) || *number < 0)
      return flag + " wants a number, got '" + value + "'";
  }
  return "";
}

int RunRounds(const Material& material, const Options& options,
              const std::vector<const FuzzedOp*>& ops) {
  RoundOptions round = options.round;
  round.progress = true;
  round.jobs =
      options.jobs > 0 ? static_cast<int>(options.jobs) : UsableCores();
  const Deadline end = options.minutes > 0
                           ? Deadline::AfterMillis(options.minutes * 60'000)
                           : Deadline::Infinite();
  int64_t complete = 0, cases = 0, refused = 0, errors = 0;
  size_t findings = 0;
  for (int64_t seed = options.seed; !end.expired(); ++seed) {
    round.seed = static_cast<uint64_t>(seed);
    const RoundResult result = RunRound(material, ops, round, end);
    complete += result.complete;
    cases += result.cases;
    refused += result.refused;
    errors += result.errors;
    findings += result.findings.size();
    if (options.minutes == 0) break;
  }
  std::printf(
      "%lld rounds over %zu ops complete: %lld cases, of which %lld were "
      "refused as graphs and %lld ended with an error; %zu findings\n",
      static_cast<long long>(complete), ops.size(),
      static_cast<long long>(cases), static_cast<long long>(refused),
      static_cast<long long>(errors), findings);
  return findings == 0 ? 0 : 1;
}

int Main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--help") {
    std::fputs(kHelp, stdout);
    return 0;
  }
  Options options;
  if (const std::string wrong = Parse(argc, argv, &options); !wrong.empty())
    return Usage(wrong);
  if (options.number >= 0) {
    options.round.first_case = options.number;
    options.round.cases = 1;
    options.minutes = 0;
  }
#if defined(__SANITIZE_ADDRESS__)
  const __lsan::ScopedDisabler before_the_children;
  options.round.leaks = true;
#endif
  const std::unique_ptr<cases::Suite> suite = cases::LoadSuite();
  const Material material = Gather(*suite);
  const auto ops = Select(material, options.only);
  if (!ops.ok()) return Usage(std::string(ops.status().message()));
  return RunRounds(material, options, *ops);
}

}  // namespace
}  // namespace millrace::fuzz

int main(int argc, char** argv) { return millrace::fuzz::Main(argc, argv); }

// gpu_check: what a machine's GPU can do and whether it computes rightly, as a
// report. It needs no network, and less than eight minutes.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "examples/support/process.h"
#include "examples/support/usage.h"
#include "millrace/base/files/file.h"
#include "millrace/base/machine.h"
#include "millrace/device/devices.h"
#include "tests/gpu_check/benchmarks.h"
#include "tests/gpu_check/case_processes.h"
#include "tests/gpu_check/report.h"

namespace millrace::gpu_check {
namespace {

enum ExitCode { kGreen = 0, kNotGreen = 1, kUsage = 2, kNoGpu = 3 };

// Parts of the time that are left for what comes after the cases.
constexpr double kCasesPart = 0.55;
constexpr int kMostJobs = 16;

struct Flags {
  std::string report = "gpu_report.md";
  std::string log = "gpu_check.log";
  std::string python = "python3";
  std::string folder;  // torch_bench.py and differences.txt
  std::string examples;
  std::vector<std::string> launcher;  // what runs programs of this folder
  std::string parts = "cases,speed,overlap,torch,examples";
  std::string ops;
  std::string cases_of;
  double seconds = 450;
  int jobs = 0;
  bool stand_in = false;
};

bool HasPart(const Flags& flags, absl::string_view part) {
  for (absl::string_view one : absl::StrSplit(flags.parts, ','))
    if (one == part) return true;
  return false;
}

// Lines about the machine, and the title; NOT_FOUND without a GPU.
Status LookAtMachine(Report* report) {
  DeviceOptions options;
  options.gpu.allow_growth = true;
  MR_ASSIGN_OR_RETURN(const auto devices, MakeDevices(options, "localhost", 0));
  for (const auto& device : devices) {
    const DeviceAttributes& of = device->attributes();
    report->machine.push_back(absl::StrCat(
        of.name, ": ", of.memory_limit_bytes >> 20, " MiB",
        of.physical_description.empty() ? "" : ", ", of.physical_description));
    if (report->title.empty() && device->type() == "GPU") {
      const std::vector<std::string> parts =
          absl::StrSplit(of.physical_description, "name: ");
      report->title = parts.size() < 2
                          ? of.name
                          : std::string(*absl::StrSplit(parts[1], ',').begin());
    }
  }
  report->machine.push_back(absl::StrCat(UsableCores(), " cores, ",
                                         UsableMemoryBytes() >> 30,
                                         " GiB of memory of the host"));
  return report->title.empty() ? NotFound("There is no GPU") : OkStatus();
}

std::vector<std::string> OpsToCheck(const cases::Suite& suite,
                                    const std::string& only) {
  std::vector<std::string> chosen;
  if (!only.empty()) chosen = absl::StrSplit(only, ',');
  std::vector<std::string> ops;
  for (const cases::OpCases& of_op : suite.op_cases) {
    const auto is_chosen = [&](const std::string& name) {
      return name == of_op.op->name || name == of_op.family;
    };
    if (!chosen.empty() &&
        std::none_of(chosen.begin(), chosen.end(), is_chosen)) {
      continue;
    }
    if (suite.kernels.HasOp("GPU", of_op.op->name))
      ops.push_back(of_op.op->name);
  }
  return ops;
}

int CheckAsChild(const Flags& flags, Deadline deadline) {
  // Products of float32 have 10 bits of precision otherwise, which is the speed
  // that counts, and not what the CPU gives.
  setenv("NVIDIA_TF32_OVERRIDE", "0", /*overwrite=*/1);
  const std::unique_ptr<cases::Suite> suite = cases::LoadSuite();
  auto gpu = GpuCases::Make(
      *suite, cases::ReadDifferences(flags.folder + "/differences.txt"));
  if (gpu.ok()) {
    CheckCases(*suite, **gpu, absl::StrSplit(flags.cases_of, ','), deadline);
    return kGreen;
  }
  std::fprintf(stderr, "%s\n", gpu.status().ToString().c_str());
  return kNotGreen;
}

void RunExamples(const Flags& flags, Report* report, Deadline deadline) {
  const std::vector<std::vector<std::string>> programs = {
      {"tour"},
      {"distributed_cpp", "pinning"},
      {"distributed_cpp", "sharding"}};
  for (const std::vector<std::string>& program : programs) {
    ExampleRun run{.command = absl::StrJoin(program, " ")};
    std::vector<std::string> words = flags.launcher;
    words.push_back(flags.examples + "/" + program[0]);
    words.insert(words.end(), program.begin() + 1, program.end());
    const int64_t start = NowNanos();
    auto process = examples::Process::Start(words, flags.log, /*talk=*/true);
    run.error = process.ok() ? "" : process.status().ToString();
    while (process.ok() && process->running()) {
      process->Lines();
      if (deadline.expired()) {
        run.error = "there was no time for it";
        break;
      }
      SleepUntil(Deadline::AfterMillis(20));
    }
    if (run.error.empty() && !process->ended_well())
      run.error = process->HowItEnded();
    run.seconds = static_cast<double>(NowNanos() - start) / 1e9;
    report->examples.push_back(std::move(run));
  }
}

Status WriteReport(const Flags& flags, const Report& report) {
  MR_RETURN_IF_ERROR(
      WriteStringToFile(DefaultFiles(), flags.report, Markdown(report)));
  std::printf("%s: %s\n", flags.report.c_str(),
              IsGreen(report) ? "everything is as it has to be"
                              : "something is not as it has to be");
  return OkStatus();
}

int Check(const Flags& flags, std::vector<std::string> command) {
  const int64_t begin = NowNanos();
  const Deadline end =
      Deadline::After(static_cast<int64_t>(flags.seconds * 1e9));
  const Deadline cases_end =
      Deadline::After(static_cast<int64_t>(flags.seconds * kCasesPart * 1e9));
  Report report;
  report.stand_in = flags.stand_in;
  if (const Status status = LookAtMachine(&report); !status.ok()) {
    std::fprintf(stderr,
                 "gpu_check: %s on this machine: CUDA's driver (libcuda.so.1) "
                 "is not there, or sees no card (nvidia-smi says more). With "
                 "--stand-in everything runs without one\n",
                 std::string(status.message()).c_str());
    return kNoGpu;
  }
  for (const std::string& line : report.machine)
    std::printf("%s\n", line.c_str());
  if (HasPart(flags, "cases")) {
    const std::unique_ptr<cases::Suite> suite = cases::LoadSuite();
    int jobs = flags.jobs > 0 ? flags.jobs : std::min(UsableCores(), kMostJobs);
    command.insert(
        command.end(),
        {"--folder", flags.folder, "--seconds",
         absl::StrCat(static_cast<double>(cases_end.remaining_millis()) /
                      1e3)});
    report.cases = CheckInProcesses(
        command, OpsToCheck(*suite, flags.ops), jobs, flags.log, cases_end,
        [](const CaseFailure& failure) {
          std::printf("%s, %s: %s\n", failure.op.c_str(), failure.name.c_str(),
                      failure.text.c_str());
        });
    std::printf("%d of %d cases ran on the GPU, %zu differ\n",
                report.cases->on_gpu, report.cases->cases,
                report.cases->failures.size());
  }
  if (HasPart(flags, "speed")) {
    RunBenchmarks(flags.stand_in, end, [&report](Row row) {
      std::printf("%s: %.6f s %s\n", row.name.c_str(), row.seconds,
                  row.error.c_str());
      report.rows.push_back(std::move(row));
    });
  }
  if (HasPart(flags, "overlap")) {
    StatusOr<Overlap> overlap = MeasureOverlap(flags.stand_in);
    if (overlap.ok()) {
      report.overlap = *std::move(overlap);
    } else {
      report.rows.push_back(
          {.name = "overlap", .error = overlap.status().ToString()});
    }
  }
  report.torch.version = "PyTorch was not asked";
  if (HasPart(flags, "torch") && !flags.stand_in) {
    report.torch = RunTorch(flags.python, flags.folder + "/torch_bench.py",
                            flags.log, end);
  }
  if (HasPart(flags, "examples") && !flags.examples.empty())
    RunExamples(flags, &report, end);
  report.seconds = static_cast<double>(NowNanos() - begin) / 1e9;
  if (const Status status = WriteReport(flags, report); !status.ok()) {
    std::fprintf(stderr, "gpu_check: %s\n", status.ToString().c_str());
    return kUsage;
  }
  return IsGreen(report) ? kGreen : kNotGreen;
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app(
      "Checks the GPU of this machine: values of every kernel, speed, "
      "examples.",
      "gpu_check");
  app.add_option("--report", flags.report, "the report, as Markdown")
      ->capture_default_str();
  app.add_option("--log", flags.log, "what the parts log")
      ->capture_default_str();
  app.add_option("--folder", flags.folder,
                 "where torch_bench.py and differences.txt are")
      ->required();
  app.add_option("--examples", flags.examples,
                 "where the examples are; without: none is run");
  app.add_option("--launcher", flags.launcher,
                 "what goes before the path of a program of this build; may "
                 "be repeated")
      ->allow_extra_args(false);
  app.add_option("--python", flags.python, "the Python that has PyTorch")
      ->capture_default_str();
  app.add_option("--parts", flags.parts, "some of these")
      ->capture_default_str();
  app.add_option("--ops", flags.ops, "cases of these ops or families alone");
  app.add_option("--seconds", flags.seconds, "time for everything")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--jobs", flags.jobs, "processes that check values; 0: cores")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--stand-in", flags.stand_in,
               "the libraries are the stand-in's: small sizes, and no verdicts "
               "about speed");
  app.add_option("--cases_of", flags.cases_of)->group("");
  if (const auto code = examples::ParseArguments(app, argc, argv)) return *code;
  if (!flags.cases_of.empty()) {
    return CheckAsChild(
        flags, Deadline::After(static_cast<int64_t>(flags.seconds * 1e9)));
  }
  std::vector<std::string> command = flags.launcher;
  if (command.empty()) {
    const StatusOr<std::string> self = examples::OwnPath();
    if (!self.ok()) {
      std::fprintf(stderr, "gpu_check: %s\n", self.status().ToString().c_str());
      return kUsage;
    }
    command = {*self};
  } else {
    command.push_back(argv[0]);
  }
  return Check(flags, std::move(command));
}

}  // namespace
}  // namespace millrace::gpu_check

int main(int argc, char** argv) {
  return millrace::gpu_check::Main(argc, argv);
}

#include "tests/gpu_check/gpu_cases.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/device/devices.h"
#include "tests/cases/bind.h"
#include "tests/cases/compare.h"

namespace millrace::gpu_check {
namespace {

using cases::BoundCase;
using cases::Case;
using cases::CaseOutcome;
using cases::CaseSession;

bool HasKernel(const cases::Suite& suite, const BoundCase& c) {
  for (const cases::BoundNode& node : c.nodes) {
    if (node.info.op->name == c.source->op &&
        suite.kernels.Has("GPU", *node.info.op, node.info.attrs)) {
      return true;
    }
  }
  return false;
}

// Returns what differs first, or "". GPUs compute in other orders and with
// other functions: at least the usual tolerance of a type holds.
std::string Compare(const Case& c, const CaseOutcome& got,
                    const CaseOutcome& want) {
  Case::Options options = c.options;
  options.ulp = -1;
  if (options.relative < 1e-5) options.has_tolerance = false;
  for (size_t r = 0; r < want.runs.size(); ++r) {
    const Status& on_gpu = got.runs[r].status;
    const Status& on_cpu = want.runs[r].status;
    if (on_gpu.code() != on_cpu.code()) {
      return absl::StrCat("run ", r, " ended with ", on_gpu.ToString(),
                          ", on the CPU with ", on_cpu.ToString());
    }
    if (!on_gpu.ok()) continue;
    for (size_t i = 0; i < want.runs[r].fetched.size(); ++i) {
      const std::string difference = cases::Difference(
          options, got.runs[r].fetched[i], want.runs[r].fetched[i]);
      if (!difference.empty())
        return absl::StrCat("run ", r, ", output ", i, ": ", difference);
    }
  }
  for (size_t i = 0; i < want.variables.size(); ++i) {
    const std::string difference =
        cases::Difference(options, got.variables[i], want.variables[i]);
    if (!difference.empty())
      return absl::StrCat("variable ", i, " afterwards: ", difference);
  }
  return "";
}

}  // namespace

GpuCases::GpuCases(const cases::Suite& suite, cases::Differences differences)
    : suite_(suite),
      differences_(std::move(differences)),
      on_cpu_(suite.kernels) {}

StatusOr<std::unique_ptr<GpuCases>> GpuCases::Make(
    const cases::Suite& suite, cases::Differences differences) {
  std::unique_ptr<GpuCases> made(new GpuCases(suite, std::move(differences)));
  DeviceOptions options;
  options.device_count = {{"CPU", 1}, {"GPU", 1}};
  options.gpu.allow_growth = true;
  MR_ASSIGN_OR_RETURN(made->devices_, MakeDevices(options, "localhost", 0));
  if (made->devices_.size() < 2) return NotFound("There is no GPU");
  return made;
}

Status GpuCases::Begin() {
  session_.reset();
  MR_ASSIGN_OR_RETURN(session_, CaseSession::Make(*suite_.ops, suite_.kernels));
  return OkStatus();
}

CaseVerdict GpuCases::Check(const Case& c) {
  CaseVerdict verdict;
  const StatusOr<BoundCase> bound = cases::Bind(c, *suite_.ops);
  if (!bound.ok()) {
    verdict.difference = std::string(bound.status().message());
    return verdict;
  }
  if (!HasKernel(suite_, *bound) || !session_->TakesVariables(*bound) ||
      differences_.Allows(c.op, c.options.name)) {
    return verdict;
  }
  const CaseOutcome wanted = on_cpu_.Run(*bound, {});
  const CaseSession::Outcome got = session_->Run(*bound, wanted);
  verdict.on_gpu = got.devices.contains("GPU");
  verdict.difference = Compare(c, got.case_outcome, wanted);
  return verdict;
}

}  // namespace millrace::gpu_check

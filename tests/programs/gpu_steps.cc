// Rooms: session device ops.cpu ops.gpu ops.op
// Steps on a CPU and two GPUs, for tests in which calls of the driver fail
// (tests/gpu/test_failures.py). Prints a line for each of
//
//   devices CODE MESSAGE   how many there are, if that goes well
//   step CODE MESSAGE      of each step on the GPUs; WRONG for wrong values
//   cpu CODE MESSAGE       of a step on the CPU afterwards
//   count SYMBOL N         calls of the stand-in's libraries
//
// and ends with 0 unless the CPU fails.
#include <dlfcn.h>

#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "millrace/base/environment.h"
#include "millrace/device/cuda/driver_api.h"
#include "millrace/device/cuda/nvrtc_api.h"
#include "millrace/device/devices.h"
#include "millrace/graph/all_ops.h"
#include "millrace/graph/op_registry.h"
#include "millrace/kernel/all_kernels.h"
#include "millrace/session/local_session.h"

namespace millrace {
namespace {

constexpr int kElements = 1000;
constexpr int kSteps = 3;
constexpr char kGpu[] = "/device:GPU:0", kOtherGpu[] = "/device:GPU:1";
constexpr char kCpu[] = "/device:CPU:0";

void Print(const char* what, const Status& status) {
  std::string text = status.ToString();
  for (char& c : text) c = c == '\n' ? ' ' : c;
  std::printf("%s %s\n", what, status.ok() ? "OK" : text.c_str());
}

GraphDef StepGraph() {
  const AttrMap floats = {{"T", DataType::kFloat}};
  const AttrMap dtype = {{"dtype", DataType::kFloat}};
  GraphDef graph;
  graph.nodes = {
      {"x", "Placeholder", {}, kCpu, dtype},
      {"v",
       "VarHandleOp",
       {},
       kGpu,
       {{"dtype", DataType::kFloat}, {"shape", PartialShape({kElements})}}},
      {"set", "AssignVariableOp", {"v", "x"}, kGpu, dtype},
      {"twice", "AddV2", {"x", "x"}, kGpu, floats},
      {"squared", "Mul", {"twice", "twice"}, kGpu, floats},
      {"add", "AssignAddVariableOp", {"v", "squared"}, kGpu, dtype},
      {"read", "ReadVariableOp", {"v", "^add"}, kGpu, dtype},
      {"there", "AddV2", {"squared", "read"}, kOtherGpu, floats},
      {"back", "Identity", {"there"}, kCpu, floats},
      {"on_cpu", "AddV2", {"x", "x"}, kCpu, floats},
  };
  return graph;
}

// A session with its feed.
class Steps {
 public:
  Status Make(std::vector<std::unique_ptr<Device>> devices) {
    MR_ASSIGN_OR_RETURN(ops_, OpRegistry::Build(AllOps()));
    MR_ASSIGN_OR_RETURN(kernels_, KernelTable::Build(AllKernels()));
    LocalSessionOptions options;
    options.ops = ops_.get();
    options.kernels = &kernels_;
    options.devices = std::move(devices);
    options.config.allow_soft_placement = true;
    MR_ASSIGN_OR_RETURN(session_, LocalSession::Create(std::move(options)));
    for (int i = 0; i < kElements; ++i)
      x_.mutable_flat<float>()[i] = static_cast<float>(i % 7);
    return session_->Extend(StepGraph());
  }

  Status Set() { return Run("", "set").status(); }

  // The step of this number since the variable was set, from 1 on.
  Status OnGpus(int number) {
    MR_ASSIGN_OR_RETURN(const Tensor y, Run("back:0", ""));
    for (int i = 0; i < kElements; ++i) {
      const float x = x_.flat<float>()[i], square = 4 * x * x;
      if (y.flat<float>()[i] != square + x + number * square)
        return DataLoss("WRONG element ", i, ": ", y.flat<float>()[i]);
    }
    return OkStatus();
  }

  Status OnCpu() { return Run("on_cpu:0", "").status(); }

 private:
  StatusOr<Tensor> Run(const std::string& fetch, const std::string& target) {
    LocalSession::RunRequest request;
    request.feeds = {{"x:0", x_}};
    if (!fetch.empty()) request.fetches = {fetch};
    if (!target.empty()) request.targets = {target};
    request.options.timeout_ms = 30'000;
    std::vector<Tensor> outputs;
    MR_RETURN_IF_ERROR(session_->Run(request, &outputs, nullptr));
    return outputs.empty() ? Tensor() : outputs[0];
  }

  std::unique_ptr<const OpRegistry> ops_;
  KernelTable kernels_;
  std::unique_ptr<LocalSession> session_;
  Tensor x_ = Tensor::New(DataType::kFloat, TensorShape({kElements}));
};

StatusOr<std::vector<std::unique_ptr<Device>>> Devices(int gpus) {
  DeviceOptions options;
  options.device_count = {{"CPU", 1}, {"GPU", gpus}};
  return MakeDevices(options, "localhost", 0);
}

void RunSteps() {
  auto devices = Devices(2);
  Print("devices", devices.status());
  if (!devices.ok()) return;
  std::printf("number %zu\n", devices->size());
  Steps steps;
  Status status = steps.Make(*std::move(devices));
  if (status.ok()) status = steps.Set();
  Print("step", status);
  for (int i = 1; i <= kSteps && status.ok(); ++i) {
    status = steps.OnGpus(i);
    Print("step", status);
  }
  Print("cpu", steps.OnCpu());
}

void PrintCounts(const char* file, const std::vector<std::string>& symbols) {
  const auto folder = EnvironmentVariable("MILLRACE_CUDA_LIBRARIES");
  if (!folder) return;
  void* library =
      dlopen(absl::StrCat(*folder, "/", file).c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return;
  const auto count = reinterpret_cast<unsigned long long (*)(const char*)>(
      dlsym(library, "millraceStandInCalls"));
  for (const std::string& symbol : symbols) {
    std::printf("count %s %llu\n", symbol.c_str(), count(symbol.c_str()));
  }
}

int Main() {
  RunSteps();
  // A session without GPUs, whatever they have done.
  Steps cpu;
  auto devices = Devices(0);
  Status status = devices.status();
  if (status.ok()) status = cpu.Make(*std::move(devices));
  if (status.ok()) status = cpu.OnCpu();
  Print("cpu", status);
#define MR_SYMBOL(Name, symbol, parameters) #symbol,
  PrintCounts("libcuda.so.1", {MILLRACE_CUDA_DRIVER_CALLS(MR_SYMBOL) "kernel"});
  PrintCounts("libnvrtc.so.13", {MILLRACE_CUDA_NVRTC_CALLS(MR_SYMBOL)});
#undef MR_SYMBOL
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace millrace

int main() { return millrace::Main(); }

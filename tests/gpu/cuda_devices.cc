#include "tests/gpu/cuda_devices.h"

#include <type_traits>

#include "millrace/base/check.h"
#include "millrace/device/cuda/libraries.h"
#include "tests/gpu/use_standin.h"

namespace millrace::cuda {

constinit const GpuSource kAddSource = {"tests/add.gpu.cu", R"(
extern "C" __global__ void AddTo(float* x, float y, int64_t n) {
  for (GRID_STRIDE(i, n)) x[i] += y;
}
)"};

namespace {

StandInControl* LoadControl(const char* name) {
  UseStandIn();
  const auto library = OpenLibrary({.fitting = {name}},
                                   [](const Library&) { return OkStatus(); });
  MR_CHECK(library.ok(), library.status().ToString());
  auto* control = new StandInControl;
  const auto find = [&](const char* symbol, auto* place) {
    *place = reinterpret_cast<std::remove_reference_t<decltype(*place)>>(
        library->Symbol(symbol));
    MR_CHECK(*place != nullptr, symbol);
  };
  find("millraceStandInFail", &control->Fail);
  find("millraceStandInCalls", &control->Calls);
  find("millraceStandInReset", &control->Reset);
  find("millraceStandInSet", &control->Set);
  return control;
}

}  // namespace

const StandInControl& Control() {
  static const StandInControl* const control = LoadControl("libcuda.so.1");
  return *control;
}

const StandInControl& CompilerControl() {
  static const StandInControl* const control = LoadControl("libnvrtc.so.13");
  return *control;
}

const StandInControl& BlasControl() {
  static const StandInControl* const control = LoadControl("libcublasLt.so.13");
  return *control;
}

const StandInControl& DnnControl() {
  static const StandInControl* const control = LoadControl("libcudnn.so.9");
  return *control;
}

StatusOr<std::vector<std::unique_ptr<Device>>> MakeGpus(const GpuSetup& setup,
                                                        int most) {
  DeviceOptions options;
  options.device_count = {{"GPU", most}};
  options.gpu = setup;
  MR_ASSIGN_OR_RETURN(auto devices, MakeDevices(options, "localhost", 0));
  devices.erase(devices.begin());  // the CPU
  return devices;
}

StatusOr<Tensor> CopyIn(Device& device, const Tensor& host) {
  MR_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(device.allocator(),
                                                 host.dtype(), host.shape()));
  Awaited copied;
  device.CopyFromHost(host, &t, copied.done());
  MR_RETURN_IF_ERROR(copied.Wait());
  return t;
}

StatusOr<Tensor> CopyOut(Device& device, const Tensor& t) {
  MR_ASSIGN_OR_RETURN(Tensor host, Tensor::Allocate(device.host_allocator(),
                                                    t.dtype(), t.shape()));
  Awaited copied;
  device.CopyToHost(t, &host, copied.done());
  MR_RETURN_IF_ERROR(copied.Wait());
  return host;
}

Status Idle(Device& device) {
  Awaited idle;
  device.WhenIdle(idle.done());
  return idle.Wait();
}

Tensor Counting(int64_t n, float first) {
  Tensor t = Tensor::New(DataType::kFloat, TensorShape({n}));
  auto values = t.mutable_flat<float>();
  for (int64_t i = 0; i < n; ++i) {
    values[static_cast<size_t>(i)] = first + static_cast<float>(i % 10'007);
  }
  return t;
}

}  // namespace millrace::cuda

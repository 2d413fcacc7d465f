#include "millrace/device/devices.h"

#include <atomic>

#include "absl/strings/str_cat.h"
#include "millrace/base/log.h"
#include "millrace/base/random.h"
#include "millrace/base/sim/sim.h"
#include "millrace/device/cpu/cpu_device.h"
#include "millrace/device/cuda/cuda_device.h"
#include "millrace/device/cuda/discovery.h"
#include "millrace/device/fake/fake_gpu_device.h"
#include "millrace/device/renamed_device.h"
#include "millrace/tensor/host_allocator.h"

namespace millrace {
namespace {

constexpr int32_t kMaxDevices = 4096;

uint64_t NewIncarnation() {
  uint64_t id = 0;
  while (id == 0) id = RandomUint64();  // 0 means unknown
  return id;
}

StatusOr<int32_t> Count(const DeviceOptions& options, const char* type,
                        int32_t otherwise) {
  const auto it = options.device_count.find(type);
  if (it == options.device_count.end()) return otherwise;
  if (it->second < 0 || it->second > kMaxDevices) {
    return InvalidArgument("device_count of ", type, " must be from 0 to ",
                           kMaxDevices, ", but is ", it->second);
  }
  return it->second;
}

}  // namespace

Ref<CpuAllocator> MakeCpuAllocator(Lanes& lanes) {
  MemoryBudget& budget = MemoryBudget::Process();
  return CpuAllocator::Make(budget, lanes.timer, budget.limit() / 4);
}

Ref<CpuAllocator> ProcessCpuAllocator() {
  static constinit Mutex mu;
  static constinit std::atomic<CpuAllocator*> instance{nullptr};
  CpuAllocator* allocator = instance.load(std::memory_order_acquire);
  if (allocator == nullptr) {
    MutexLock lock(mu);
    allocator = instance.load(std::memory_order_relaxed);
    if (allocator == nullptr) {
      allocator = MakeCpuAllocator(Lanes::Process()).release();
      instance.store(allocator, std::memory_order_release);
      SetHostAllocator(allocator);
    }
  }
  return Ref<CpuAllocator>::Share(allocator);
}

StatusOr<std::vector<std::unique_ptr<Device>>> MakeDevices(
    const DeviceOptions& options, absl::string_view job, int task) {
  MR_ASSIGN_OR_RETURN(const int32_t cpus, Count(options, "CPU", 1));
  MR_ASSIGN_OR_RETURN(
      const int32_t gpus,
      Count(options, "GPU", options.fake_gpu ? 0 : kMaxDevices));
  if (cpus == 0)
    return InvalidArgument("device_count of CPU must be at least 1");
  Lanes& lanes = options.lanes ? *options.lanes : Lanes::Process();
  Ref<CpuAllocator> allocator = options.allocator;
  if (!allocator) {
    const bool shares = !SimWorld::Current() && &lanes == &Lanes::Process();
    allocator = shares ? ProcessCpuAllocator() : MakeCpuAllocator(lanes);
  }

  std::vector<std::unique_ptr<Device>> devices;
  const auto describe = [&](const char* type, int index,
                            DeviceAttributes* attributes,
                            DeviceName* parsed) -> Status {
    attributes->name = absl::StrCat("/job:", job, "/replica:0/task:", task,
                                    "/device:", type, ":", index);
    attributes->device_type = type;
    attributes->memory_limit_bytes = MemoryBudget::Process().limit();
    attributes->incarnation = NewIncarnation();
    MR_ASSIGN_OR_RETURN(*parsed, DeviceName::Parse(attributes->name));
    return OkStatus();
  };
  for (int i = 0; i < cpus; ++i) {
    DeviceAttributes attributes;
    DeviceName parsed;
    MR_RETURN_IF_ERROR(describe("CPU", i, &attributes, &parsed));
    devices.push_back(std::make_unique<CpuDevice>(std::move(attributes),
                                                  std::move(parsed), lanes,
                                                  options.intra_op, allocator));
  }
  for (int i = 0; options.fake_gpu && i < gpus; ++i) {
    DeviceAttributes attributes;
    DeviceName parsed;
    MR_RETURN_IF_ERROR(describe("GPU", i, &attributes, &parsed));
    attributes.physical_description = "fake GPU";
    devices.push_back(std::make_unique<FakeGpuDevice>(
        std::move(attributes), std::move(parsed), lanes));
  }
  // A simulation has no hardware.
  if (options.fake_gpu || gpus == 0 || SimWorld::Current()) return devices;
  MR_RETURN_IF_ERROR(cuda::CheckGpuSetup(options.gpu));
  const std::shared_ptr<const GpuSetup> setup = ShareGpuSetup(options.gpu);
  MR_ASSIGN_OR_RETURN(std::vector<cuda::FoundGpu> found,
                      cuda::OpenGpus(gpus, setup));
  for (cuda::FoundGpu& gpu : found) {
    DeviceAttributes attributes;
    DeviceName parsed;
    MR_RETURN_IF_ERROR(describe("GPU", gpu.index, &attributes, &parsed));
    attributes.memory_limit_bytes =
        static_cast<int64_t>(gpu.gpu->pool().limit_bytes());
    attributes.physical_description = gpu.description;
    MR_LOG(Info) << "Created device (" << attributes.name << " with "
                 << (attributes.memory_limit_bytes >> 20)
                 << " MB memory) -> physical GPU (" << gpu.description << ")";
    devices.push_back(std::make_unique<cuda::CudaDevice>(
        std::move(attributes), std::move(parsed), lanes,
        options.intra_op ? *options.intra_op : lanes.intra_op,
        std::move(gpu.gpu), setup));
  }
  return devices;
}

StatusOr<std::unique_ptr<Device>> CloneDevice(Device& device,
                                              absl::string_view job, int task) {
  DeviceAttributes attributes = device.attributes();
  DeviceName parsed = device.parsed_name();
  parsed.job = std::string(job);
  parsed.task = task;
  attributes.name = parsed.ToString();
  if (auto* cpu = dynamic_cast<CpuDevice*>(&device)) {
    return std::unique_ptr<Device>(std::make_unique<CpuDevice>(
        std::move(attributes), std::move(parsed), cpu->lanes(),
        &cpu->intra_op(), Ref<CpuAllocator>::Share(&cpu->cpu_allocator())));
  }
  if (auto* gpu = dynamic_cast<cuda::CudaDevice*>(&device)) {
    return std::unique_ptr<Device>(std::make_unique<cuda::CudaDevice>(
        std::move(attributes), std::move(parsed), gpu->lanes(), gpu->intra_op(),
        gpu->shared_gpu(), gpu->setup()));
  }
  if (auto* gpu = dynamic_cast<FakeGpuDevice*>(&device)) {
    return std::unique_ptr<Device>(std::make_unique<FakeGpuDevice>(
        std::move(attributes), std::move(parsed), gpu->lanes()));
  }
  return Unimplemented("devices of type ", device.type(),
                       " cannot have an isolated session");
}

std::unique_ptr<Device> RenameDevice(Device& device, absl::string_view job,
                                     int task) {
  DeviceAttributes attributes = device.attributes();
  DeviceName parsed = device.parsed_name();
  parsed.job = std::string(job);
  parsed.task = task;
  attributes.name = parsed.ToString();
  return std::make_unique<RenamedDevice>(std::move(attributes),
                                         std::move(parsed), device);
}

}  // namespace millrace

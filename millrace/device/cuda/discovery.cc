#include "millrace/device/cuda/discovery.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "millrace/base/environment.h"
#include "millrace/base/log.h"
#include "millrace/device/cuda/module_cache.h"

namespace millrace::cuda {
namespace {

constexpr double kMiB = 1 << 20;

// What is left to the driver of a card that is taken whole: for the context,
// for code, for local memory of threads, for what libraries keep.
size_t ReserveOf(size_t total) {
  return std::min<size_t>(total / 8, size_t{1} << 30);
}

std::string DescribeCard(const CardFacts& facts) {
  return absl::StrCat("device: ", facts.ordinal, ", name: ", facts.name,
                      ", pci bus id: ", facts.pci_bus_id,
                      ", compute capability: ", facts.major, ".", facts.minor);
}

// Logs what people know from TensorFlow, once in a process for each card.
void LogCard(const CardFacts& facts, size_t free) {
  static constinit std::atomic<uint64_t> logged{0};
  const uint64_t bit = uint64_t{1} << (facts.ordinal % 64);
  if ((logged.fetch_or(bit) & bit) != 0) return;
  MR_LOG(Info) << absl::StrFormat(
      "Found device %d with properties: name: %s major: %d minor: %d "
      "memoryClockRate(GHz): %.3f coreCount: %d pciBusID: %s totalMemory: "
      "%.2fGiB freeMemory: %.2fGiB memoryBandwidth: %.0fGB/s",
      facts.ordinal, facts.name, facts.major, facts.minor,
      facts.memory_clock_khz / 1e6, facts.multiprocessors, facts.pci_bus_id,
      static_cast<double>(facts.total_bytes) / (1 << 30),
      static_cast<double>(free) / (1 << 30),
      // Two bits a clock and line.
      2.0 * facts.memory_clock_khz * facts.memory_bus_bits / 8 / 1e6);
}

// Logs why there are no GPUs, once in a process.
void LogNoGpus(const Status& status) {
  static constinit std::atomic<bool> logged{false};
  if (logged.exchange(true)) return;
  const auto visible = EnvironmentVariable("CUDA_VISIBLE_DEVICES");
  const std::string hint =
      visible ? absl::StrCat(" (CUDA_VISIBLE_DEVICES is '", *visible, "')")
              : "";
  MR_LOG(Warning) << "no GPUs are used: " << status.message() << hint;
}

struct ProcessLibraries {
  const Driver* driver = nullptr;
  const Nvrtc* nvrtc = nullptr;
  int cards = 0;
};

// Returns whether a missing driver is worth a line: the machine has a card of
// NVIDIA's, or somebody has said what is to be used of them.
bool ExpectsDriver() {
  const std::string visible =
      EnvironmentVariable("CUDA_VISIBLE_DEVICES").value_or("");
  return access("/proc/driver/nvidia", F_OK) == 0 ||
         (!visible.empty() && visible != "-1") ||
         EnvironmentVariable("MILLRACE_CUDA_LIBRARIES").has_value();
}

// Returns what all GPUs need. What is missing is in the log if this returns
// NOT_FOUND.
StatusOr<ProcessLibraries> LoadLibraries() {
  ProcessLibraries libraries;
  const auto driver = ProcessDriver();
  if (driver.status().code() == StatusCode::kNotFound && ExpectsDriver()) {
    LogMissingLibrary("libcuda.so.1, NVIDIA's driver,", driver.status(),
                      "no GPUs are used");
  }
  MR_RETURN_IF_ERROR(driver.status());
  libraries.driver = *driver;
  const Result result = libraries.driver->DeviceGetCount(&libraries.cards);
  if (result != Result::kSuccess) {
    return Unavailable("cuDeviceGetCount: ",
                       ErrorText(*libraries.driver, result));
  }
  if (libraries.cards == 0) return Unavailable("the driver has no card");
  const auto nvrtc = ProcessNvrtc(libraries.driver->version);
  if (nvrtc.status().code() == StatusCode::kNotFound) {
    LogMissingLibrary(
        "libnvrtc.so (of CUDA 12 or 13)", nvrtc.status(),
        "kernels for GPUs cannot be compiled, and no GPUs are used; CUDA_HOME "
        "or the Python package nvidia-cuda-nvrtc brings it");
  }
  MR_RETURN_IF_ERROR(nvrtc.status());
  libraries.nvrtc = *nvrtc;
  return libraries;
}

// Returns OK if the card takes what the compiler makes. Kernels are compiled
// when graphs need them, and nodes are placed on the card long before that.
Status CheckCompiler(const ProcessLibraries& libraries, Card& card) {
  const Nvrtc& nvrtc = *libraries.nvrtc;
  const Status status =
      card.modules()
          .Load({.text = "extern \"C\" __global__ void Check() {}\n",
                 .name = "a kernel that does nothing",
                 .constant = "check"},
                nullptr)
          .status();
  if (status.ok()) return OkStatus();
  MR_RETURN_IF_ERROR(card.error());
  const std::string newest = VersionText(libraries.driver->version);
  return FailedPrecondition(
      "kernels cannot be loaded there: ", status.message(),
      "; they are compiled by ", nvrtc.path, " of CUDA ", nvrtc.major, ".",
      nvrtc.minor, ", and the driver is for CUDA ", newest,
      "; a libnvrtc.so of CUDA ", newest,
      " or older in MILLRACE_CUDA_LIBRARIES is taken instead, or a newer "
      "driver");
}

// Opens the GPUs of one card. `index` is that of the first of them.
Status OpenCard(const ProcessLibraries& libraries, DeviceOrdinal ordinal,
                const std::shared_ptr<const GpuSetup>& setup,
                const std::vector<double>& sizes_mb, int index,
                std::vector<FoundGpu>* found) {
  MR_ASSIGN_OR_RETURN(const CardFacts facts,
                      ReadCardFacts(*libraries.driver, ordinal));
  MR_RETURN_IF_ERROR(
      TargetFor(*libraries.nvrtc, 10 * facts.major + facts.minor).status());
  Gpu::AwaitUnused(ordinal);
  MR_ASSIGN_OR_RETURN(const std::shared_ptr<Card> card,
                      Card::Open(*libraries.driver, facts));
  MR_RETURN_IF_ERROR(card->Use());
  MR_RETURN_IF_ERROR(CheckCompiler(libraries, *card));
  size_t free = 0, total = 0;
  MR_RETURN_IF_ERROR(
      card->Check(libraries.driver->MemGetInfo(&free, &total), "cuMemGetInfo"));
  LogCard(facts, free);
  const std::vector<GpuMemory> memories = MemoryOfGpus(*setup, sizes_mb, total);
  std::vector<FoundGpu> gpus;
  for (size_t part = 0; part < memories.size(); ++part) {
    MR_ASSIGN_OR_RETURN(
        std::shared_ptr<Gpu> gpu,
        Gpu::Open(card, static_cast<int>(part), memories[part], setup));
    gpus.push_back(
        {index + static_cast<int>(part), std::move(gpu), DescribeCard(facts)});
  }
  found->insert(found->end(), gpus.begin(), gpus.end());
  return OkStatus();
}

}  // namespace

Status CheckGpuSetup(const GpuSetup& setup) {
  // Written so that it also refuses what is no number.
  if (setup.memory_fraction != 0 &&
      !(setup.memory_fraction > 0 && setup.memory_fraction <= 1)) {
    return InvalidArgument(
        "per_process_gpu_memory_fraction must be above 0 and at most 1, but "
        "is ",
        setup.memory_fraction);
  }
  bool splits = false;
  for (const std::vector<double>& card : setup.virtual_devices_mb) {
    splits |= !card.empty();
    for (const double mb : card) {
      if (!(mb >= 1 && mb <= 1e9)) {
        return InvalidArgument(
            "memory_limit_mb of a virtual GPU must be at least 1, but is ", mb);
      }
    }
  }
  if (splits && setup.memory_fraction != 0) {
    return InvalidArgument(
        "per_process_gpu_memory_fraction and virtual GPUs, which have sizes of "
        "their own, are set together");
  }
  return OkStatus();
}

StatusOr<std::vector<int>> ParseVisibleDevices(absl::string_view list,
                                               int count) {
  std::vector<int> numbers;
  if (list.empty()) {
    for (int i = 0; i < count; ++i) numbers.push_back(i);
    return numbers;
  }
  for (absl::string_view entry : absl::StrSplit(list, ',')) {
    int number = 0;
    if (!absl::SimpleAtoi(entry, &number)) {
      return InvalidArgument(
          "Could not parse entry in 'visible_device_list': '", entry,
          "'. visible_device_list = ", list,
          "; numbers separated by commas are wanted");
    }
    if (number < 0 || number >= count) {
      return InvalidArgument("'visible_device_list' listed an invalid GPU id '",
                             number, "' but visible device count is ", count);
    }
    if (std::find(numbers.begin(), numbers.end(), number) != numbers.end()) {
      return InvalidArgument("'visible_device_list' has the GPU id '", number,
                             "' twice: ", list);
    }
    numbers.push_back(number);
  }
  return numbers;
}

std::vector<GpuMemory> MemoryOfGpus(const GpuSetup& setup,
                                    const std::vector<double>& sizes_mb,
                                    size_t total) {
  const bool grows = setup.allow_growth;
  const size_t all = total - ReserveOf(total);
  if (setup.memory_fraction > 0) {
    const double part = static_cast<double>(total) * setup.memory_fraction;
    return {{.limit_bytes = std::min(static_cast<size_t>(part), all),
             .grows = grows}};
  }
  if (sizes_mb.empty()) {
    return {{.limit_bytes = all, .grows = grows, .takes_less = true}};
  }
  std::vector<GpuMemory> memories;
  for (const double mb : sizes_mb) {
    memories.push_back(
        {.limit_bytes = static_cast<size_t>(mb * kMiB), .grows = grows});
  }
  return memories;
}

StatusOr<std::vector<FoundGpu>> OpenGpus(
    int most, const std::shared_ptr<const GpuSetup>& setup) {
  std::vector<FoundGpu> found;
  if (most <= 0) return found;
  const StatusOr<ProcessLibraries> libraries = LoadLibraries();
  if (!libraries.ok()) {
    if (libraries.status().code() != StatusCode::kNotFound) {
      LogNoGpus(libraries.status());
    }
    return found;
  }
  MR_ASSIGN_OR_RETURN(
      std::vector<int> cards,
      ParseVisibleDevices(setup->visible_devices, libraries->cards));
  if (setup->virtual_devices_mb.size() > cards.size()) {
    return InvalidArgument("virtual GPUs are set for ",
                           setup->virtual_devices_mb.size(),
                           " cards, but visible are ", cards.size());
  }
  if (cards.size() > static_cast<size_t>(most)) {
    cards.resize(static_cast<size_t>(most));
  }
  int index = 0;
  for (size_t i = 0; i < cards.size(); ++i) {
    std::vector<double> sizes_mb;
    if (i < setup->virtual_devices_mb.size()) {
      sizes_mb = setup->virtual_devices_mb[i];
    }
    const Status status =
        OpenCard(*libraries, cards[i], setup, sizes_mb, index, &found);
    if (!status.ok()) {
      MR_LOG(Warning) << "GPU:" << index << " is not there, since card "
                      << cards[i] << " cannot be used: " << status.message();
    }
    index += static_cast<int>(std::max<size_t>(1, sizes_mb.size()));
  }
  return found;
}

}  // namespace millrace::cuda

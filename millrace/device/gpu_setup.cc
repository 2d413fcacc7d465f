#include "millrace/device/gpu_setup.h"

#include <atomic>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "millrace/base/log.h"
#include "millrace/base/threads/thread.h"

namespace millrace {
namespace {

std::string TextOfSetup(const GpuSetup& setup) {
  std::vector<std::string> cards;
  for (const std::vector<double>& card : setup.virtual_devices_mb) {
    cards.push_back(absl::StrCat("[", absl::StrJoin(card, ","), "]"));
  }
  return absl::StrCat(
      "visible_device_list='", setup.visible_devices,
      "', per_process_gpu_memory_fraction=", setup.memory_fraction,
      ", allow_growth=", setup.allow_growth ? "true" : "false",
      ", virtual_devices=[", absl::StrJoin(cards, ","), "]");
}

}  // namespace

GpuSetup GpuSetupOf(const GpuOptions& options) {
  GpuSetup setup;
  setup.visible_devices = options.visible_device_list;
  setup.memory_fraction = options.per_process_gpu_memory_fraction;
  setup.allow_growth = options.allow_growth;
  for (const GpuVirtualDevices& card : options.experimental.virtual_devices) {
    setup.virtual_devices_mb.emplace_back(card.memory_limit_mb.begin(),
                                          card.memory_limit_mb.end());
  }
  return setup;
}

std::vector<std::string> GpuFieldsOf(const GpuOptions& options) {
  std::vector<std::string> fields;
  const auto add = [&fields](bool given, const char* name) {
    if (given) fields.emplace_back(name);
  };
  add(options.per_process_gpu_memory_fraction != 0,
      "per_process_gpu_memory_fraction");
  add(options.allow_growth, "allow_growth");
  add(!options.visible_device_list.empty(), "visible_device_list");
  bool other = !options.unknown_fields.empty() ||
               !options.experimental.unknown_fields.empty();
  for (const GpuVirtualDevices& card : options.experimental.virtual_devices) {
    other |= !card.unknown_fields.empty();
  }
  add(!options.experimental.virtual_devices.empty(),
      "experimental.virtual_devices");
  add(other, "other fields");
  return fields;
}

std::shared_ptr<const GpuSetup> ShareGpuSetup(const GpuSetup& asked) {
  static constinit Mutex mu;
  // Never destroyed: devices may outlive static objects.
  static constinit std::weak_ptr<const GpuSetup>* in_use = nullptr;
  static constinit std::atomic<bool> warned{false};
  std::shared_ptr<const GpuSetup> setup;
  {
    MutexLock lock(mu);
    if (in_use == nullptr) in_use = new std::weak_ptr<const GpuSetup>;
    setup = in_use->lock();
    if (setup == nullptr) {
      setup = std::make_shared<const GpuSetup>(asked);
      *in_use = setup;
    }
  }
  if (*setup != asked && asked != GpuSetup() && !warned.exchange(true)) {
    MR_LOG(Warning) << "the GPUs of this process are in use with "
                    << TextOfSetup(*setup)
                    << "; that a later session or server asks for "
                    << TextOfSetup(asked)
                    << " has no effect until all before it have ended";
  }
  return setup;
}

}  // namespace millrace

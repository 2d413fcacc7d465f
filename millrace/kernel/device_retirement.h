// DeviceRetirement: destroys the devices of an owner.
#pragma once

#include <memory>
#include <vector>

#include "millrace/base/memory/retire.h"
#include "millrace/kernel/device.h"
#include "millrace/kernel/resource.h"

namespace millrace {

// A member declared after the devices and before all members that use them:
// when it is destroyed, the resources of each device are cleared, and then the
// device is destroyed, unless an ObjectUse keeps it for a while.
class DeviceRetirement {
 public:
  explicit DeviceRetirement(std::vector<std::unique_ptr<Device>>& devices)
      : devices_(devices) {}
  ~DeviceRetirement() {
    for (std::unique_ptr<Device>& device : devices_) {
      if (device != nullptr) device->resources().ClearAll();
      Retire(std::move(device));
    }
  }
  DeviceRetirement(const DeviceRetirement&) = delete;
  DeviceRetirement& operator=(const DeviceRetirement&) = delete;

 private:
  std::vector<std::unique_ptr<Device>>& devices_;
};

}  // namespace millrace

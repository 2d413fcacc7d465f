#include "millrace/device/fake/fake_gpu_device.h"

namespace millrace {

FakeGpuDevice::FakeGpuDevice(DeviceAttributes attributes, DeviceName parsed,
                             Lanes& lanes)
    : Device(std::move(attributes), std::move(parsed)),
      lanes_(lanes),
      resources_(parsed_name().job.value_or("localhost")) {}

}  // namespace millrace

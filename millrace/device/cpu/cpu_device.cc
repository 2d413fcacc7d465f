#include "millrace/device/cpu/cpu_device.h"

namespace millrace {

CpuDevice::CpuDevice(DeviceAttributes attributes, DeviceName parsed,
                     Lanes& lanes, IntraOpPool* intra_op,
                     Ref<CpuAllocator> allocator)
    : Device(std::move(attributes), std::move(parsed)),
      lanes_(lanes),
      intra_op_(intra_op ? *intra_op : lanes.intra_op),
      allocator_(std::move(allocator)),
      resources_(parsed_name().job.value_or("localhost")) {}

}  // namespace millrace

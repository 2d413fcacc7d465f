// Device: runs kernels, and owns memory and resources.
#pragma once

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/graph/device_attributes.h"
#include "millrace/graph/device_name.h"
#include "millrace/tensor/buffer.h"

namespace millrace {

class ResourceStore;

// Thread-safe. Servers of one process never share devices; a local or isolated
// session has device objects of its own.
class Device {
 public:
  virtual ~Device() = default;

  const DeviceAttributes& attributes() const { return attributes_; }
  const std::string& name() const { return attributes_.name; }
  const std::string& type() const { return attributes_.device_type; }
  const DeviceName& parsed_name() const { return parsed_name_; }

  virtual Allocator* allocator() = 0;
  // Returns the variables, queues, readers and other resources of this device.
  virtual ResourceStore& resources() = 0;
  // Splits [0, total) into shards over this device's intra-op threads. The
  // shards depend on total, cost and width only. `cost_nanos` is the estimated
  // time of a unit.
  virtual void ParallelFor(
      int64_t total, int64_t cost_nanos,
      absl::FunctionRef<void(int64_t begin, int64_t end)> f) = 0;
  virtual int intra_op_width() const = 0;
  virtual Lanes& lanes() = 0;

 protected:
  Device(DeviceAttributes attributes, DeviceName parsed)
      : attributes_(std::move(attributes)), parsed_name_(std::move(parsed)) {}

 private:
  DeviceAttributes attributes_;
  DeviceName parsed_name_;
};

}  // namespace millrace

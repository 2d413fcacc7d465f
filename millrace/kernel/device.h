// Device: runs kernels, and owns memory and resources.
#pragma once

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "millrace/base/memory/memory_budget.h"
#include "millrace/base/threads/done.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/graph/device_attributes.h"
#include "millrace/graph/device_name.h"
#include "millrace/tensor/buffer.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

class ResourceStore;

// The memory of a device that tensors hold.
struct DeviceMemoryUse {
  int64_t used_bytes = 0;
  int64_t peak_bytes = 0;
  int64_t limit_bytes = 0;
};

// Thread-safe. Servers of one process never share devices; a local or isolated
// session has device objects of its own.
class Device {
 public:
  virtual ~Device() = default;

  const DeviceAttributes& attributes() const { return attributes_; }
  const std::string& name() const { return attributes_.name; }
  const std::string& type() const { return attributes_.device_type; }
  const DeviceName& parsed_name() const { return parsed_name_; }

  // Whether the device's memory is not the host's. Kernels then only enqueue
  // their work and return; the device does it in that order. So host code may
  // hand on, share, and free tensors as if the work were done, and memory that
  // is freed is taken again by later work only.
  bool has_own_memory() const { return has_own_memory_; }
  virtual Allocator* allocator() = 0;
  // Returns the allocator of what kernels of this device keep in host memory
  // (kernel/host_arguments.h): memory that is copied fast, if there is such.
  virtual Allocator* host_allocator() { return allocator(); }

  // The following are for devices with memory of their own. `to` has the type
  // and as many elements as `from`; it is unshared, and lives, at its place,
  // until `done`. The device keeps `from` as long as it needs it. `done` is
  // called once, under no lock, possibly before the call returns, with the
  // device's error if it has one (INTERNAL that names device and error).

  // Copies to host memory what earlier work leaves in `from`, which is on this
  // device or on another one of this process. Done: `to` can be read.
  virtual void CopyToHost(Tensor from, Tensor* to, Done done);
  // Copies to this device. Done: work that is enqueued from now on sees it.
  virtual void CopyFromHost(Tensor from, Tensor* to, Done done);
  // Copies from another device of this process, in the order of that device's
  // work. Done: work that is enqueued on this device from now on sees it.
  virtual void CopyFromPeer(Tensor from, Tensor* to, Done done);
  // Calls `done` when all work and copies that were enqueued before are done;
  // on a CPU at once.
  virtual void WhenIdle(Done done) { std::move(done)(OkStatus()); }

  // Returns the device whose hardware this one has: itself, or the one of which
  // it is another name.
  virtual Device& hardware() { return *this; }

  // Returns the variables, queues, readers and other resources of this device.
  virtual ResourceStore& resources() = 0;
  // Splits [0, total) into shards over this device's intra-op threads (those of
  // the CPU, for kernels that work in host memory). The
  // shards depend on total, cost and width only. `cost_nanos` is the estimated
  // time of a unit.
  virtual void ParallelFor(
      int64_t total, int64_t cost_nanos,
      absl::FunctionRef<void(int64_t begin, int64_t end)> f) = 0;
  virtual int intra_op_width() const = 0;
  // Returns the threads that ParallelFor uses, for kernels that hand them to a
  // library; null if it has none.
  virtual IntraOpPool* intra_op_pool() { return nullptr; }
  virtual Lanes& lanes() = 0;
  // Devices without memory of their own report that of the process.
  virtual DeviceMemoryUse memory_use() const {
    const MemoryBudget& memory = MemoryBudget::Process();
    return {memory.used(), memory.peak(), memory.limit()};
  }

 protected:
  Device(DeviceAttributes attributes, DeviceName parsed,
         bool has_own_memory = false)
      : attributes_(std::move(attributes)),
        parsed_name_(std::move(parsed)),
        has_own_memory_(has_own_memory) {}

 private:
  DeviceAttributes attributes_;
  DeviceName parsed_name_;
  const bool has_own_memory_;
};

}  // namespace millrace

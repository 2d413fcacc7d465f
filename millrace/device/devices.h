// Makes the devices of a task.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/device/cpu/cpu_allocator.h"
#include "millrace/device/gpu_setup.h"
#include "millrace/kernel/device.h"

namespace millrace {

struct DeviceOptions {
  // The number of devices by type; a missing entry means one CPU and every GPU
  // that is visible. Unknown types are ignored, as in stock TensorFlow (clients
  // send "XLA_CPU" and others).
  std::map<std::string, int32_t> device_count;
  // Whether GPUs are simulated, without hardware (fake/fake_gpu_device.h);
  // otherwise GPU counts are upper bounds for the existing GPUs.
  bool fake_gpu = false;
  GpuSetup gpu;                     // of GPUs with hardware
  Lanes* lanes = nullptr;           // null: those of the process
  IntraOpPool* intra_op = nullptr;  // null: that of the lanes
  // The allocator that these devices share. Null: that of the process (in a
  // simulation, or with other `lanes`, a new one). A server passes the same one
  // to the devices of its isolated sessions.
  Ref<CpuAllocator> allocator;
};

// Returns an allocator that uses the process's budget and timer and keeps at
// most a quarter of the budget for reuse.
Ref<CpuAllocator> MakeCpuAllocator(Lanes& lanes);

// Returns the allocator of this process: made at first use, never destroyed,
// and from then on also the HostAllocator, so that tensors from other tasks are
// stored in memory that earlier steps have freed. Not in a simulation.
Ref<CpuAllocator> ProcessCpuAllocator();

// Returns devices "/job:JOB/replica:0/task:TASK/device:CPU:0" and so on, each
// with a random incarnation; CPUs first. Returns INVALID_ARGUMENT for a
// negative count or no CPU at all (the first CPU runs the nodes that have no
// other place), and for a malformed job name.
StatusOr<std::vector<std::unique_ptr<Device>>> MakeDevices(
    const DeviceOptions& options, absl::string_view job, int task);

// Returns another device with the hardware and allocator of `device`, the same
// attributes (also the incarnation) except for the job and task in its name,
// and resources of its own: for isolated sessions. Returns UNIMPLEMENTED for
// types that cannot be cloned.
StatusOr<std::unique_ptr<Device>> CloneDevice(Device& device,
                                              absl::string_view job, int task);

// Returns `device` under the name that it has as a device of another task: the
// same hardware, incarnation and resources. `device` may be retired before.
std::unique_ptr<Device> RenameDevice(Device& device, absl::string_view job,
                                     int task);

}  // namespace millrace

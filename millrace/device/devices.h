// The devices of a task.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/device/cpu/cpu_allocator.h"
#include "millrace/kernel/device.h"

namespace millrace {

struct DeviceOptions {
  // How many by type; without an entry one CPU and no GPU. Types that are not
  // known are ignored, as in stock (clients send "XLA_CPU" and others).
  std::map<std::string, int32_t> device_count;
  // GPUs without hardware or kernels; else GPU counts are upper bounds for the
  // GPUs that there are.
  bool fake_gpu = false;
  Lanes* lanes = nullptr;           // null: those of the process
  IntraOpPool* intra_op = nullptr;  // null: that of the lanes
  // Null: that of the process (in a simulation or with other lanes a new one)
  // that these devices share. A server gives the same one to the devices of
  // its isolated sessions.
  Ref<CpuAllocator> allocator;
};

// An allocator on the process's budget and timer that keeps at most a quarter
// of the budget for reuse.
Ref<CpuAllocator> MakeCpuAllocator(Lanes& lanes);

// The one of this process: made at first use, never destroyed, and from then
// on also the HostAllocator, so that what arrives from other tasks lies in
// memory that earlier steps have freed. Not in a simulation.
Ref<CpuAllocator> ProcessCpuAllocator();

// Devices "/job:JOB/replica:0/task:TASK/device:CPU:0" and so on, each with a
// random incarnation; CPUs first. INVALID_ARGUMENT for a negative count or no
// CPU at all (the first CPU runs what has no place elsewhere), and for a job
// name that does not parse.
StatusOr<std::vector<std::unique_ptr<Device>>> MakeDevices(
    const DeviceOptions& options, absl::string_view job, int task);

// Another device on the hardware and allocator of `device`, with the same
// attributes (also the incarnation) but for the job and task in its name, and
// with resources of its own: for isolated sessions. UNIMPLEMENTED for types
// that cannot be had twice.
StatusOr<std::unique_ptr<Device>> CloneDevice(Device& device,
                                              absl::string_view job, int task);

}  // namespace millrace

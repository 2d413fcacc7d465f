#include "millrace/train/replica_device_setter.h"

#include <algorithm>
#include <memory>

#include "absl/container/flat_hash_set.h"
#include "millrace/graph/attr/attr_value.h"

namespace millrace::train {
namespace {

struct Setter {
  absl::flat_hash_set<std::string> ps_ops;  // empty: by their declarations
  DeviceName ps;
  DeviceName worker;
  std::string malformed;  // the malformed device
  PsStrategy strategy;    // empty: there is no ps

  bool IsOnPs(const OpDef& op) const {
    return ps_ops.empty() ? op.Is(kOnParameterServers)
                          : ps_ops.contains(op.name);
  }

  std::string DeviceOf(const Node& node) const {
    if (!malformed.empty()) return malformed;
    const StatusOr<DeviceName> asked = DeviceName::Parse(node.requested_device);
    if (!asked.ok()) return node.requested_device;
    if (!strategy || !IsOnPs(*node.op)) {
      return worker.OverriddenBy(*asked).ToString();
    }
    DeviceName there = ps.OverriddenBy(*asked);
    // A node with a requested task is not distributed.
    if (there.job == ps.job && !there.task) there.task = strategy(node);
    return there.ToString();
  }
};

int TasksOf(const ReplicaDeviceSetterOptions& options, const DeviceName& ps) {
  if (options.ps_tasks > 0) return options.ps_tasks;
  if (!ps.job) return 0;
  const auto job = options.cluster.jobs().find(*ps.job);
  return job == options.cluster.jobs().end()
             ? 0
             : static_cast<int>(job->second.size());
}

}  // namespace

PsStrategy RoundRobin(int tasks) {
  return [tasks, next = std::make_shared<int>(0)](const Node&) {
    return (*next)++ % tasks;
  };
}

PsStrategy LeastBytes(int tasks) {
  auto loads =
      std::make_shared<std::vector<int64_t>>(static_cast<size_t>(tasks), 0);
  return [loads](const Node& node) {
    const auto least = std::min_element(loads->begin(), loads->end());
    // State of unknown size counts, too.
    *least += std::max<int64_t>(StateBytes(node), 1);
    return static_cast<int>(least - loads->begin());
  };
}

int64_t StateBytes(const Node& node) {
  const auto shape = GetAttr<PartialShape>(node.attrs, "shape");
  const auto dtype = GetAttr<DataType>(node.attrs, "dtype");
  if (!shape.ok() || !dtype.ok()) return 0;
  const auto full = shape->AsTensorShape();
  if (!full.ok()) return 0;
  return full->num_elements() * static_cast<int64_t>(SizeOf(*dtype));
}

DeviceFunction ReplicaDeviceSetter(const ReplicaDeviceSetterOptions& options) {
  auto setter = std::make_shared<Setter>();
  setter->ps_ops.insert(options.ps_ops.begin(), options.ps_ops.end());
  for (auto [text, name] :
       {std::pair(&options.ps_device, &setter->ps),
        std::pair(&options.worker_device, &setter->worker)}) {
    auto parsed = DeviceName::Parse(*text);
    if (parsed.ok()) {
      *name = *std::move(parsed);
    } else {
      setter->malformed = *text;
    }
  }
  const int tasks = TasksOf(options, setter->ps);
  if (tasks > 0) {
    setter->strategy = options.strategy ? options.strategy : RoundRobin(tasks);
  }
  // Without parameter servers there is nothing to distribute.
  if (tasks == 0 && setter->malformed.empty()) {
    return [](const Node& node) { return node.requested_device; };
  }
  return [setter](const Node& node) { return setter->DeviceOf(node); };
}

}  // namespace millrace::train

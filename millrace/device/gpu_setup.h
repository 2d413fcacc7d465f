// How a task uses the GPUs of its machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "millrace/protocol/config.h"

namespace millrace {

// The options of a server (--visible_devices, ...) and of a session's
// ConfigProto.gpu_options. Their defaults are TensorFlow's.
struct GpuSetup {
  // Which of the cards that the process sees (CUDA_VISIBLE_DEVICES has taken
  // its choice before), and in which order: "1,0" makes the second card GPU:0.
  // Empty: all of them.
  std::string visible_devices;
  // The part of a card's memory that the pool of a GPU may hold, above 0 and at
  // most 1. 0: all that is free but a reserve for the driver.
  double memory_fraction = 0;
  // Whether the pool begins empty and takes memory from the driver when it
  // needs some; otherwise it takes all at once.
  bool allow_growth = false;
  // For each card in the order of visible_devices, the sizes in MiB of the
  // logical GPUs into which it is split; an empty list leaves a card whole.
  // Not together with memory_fraction. Empty: no card is split.
  std::vector<std::vector<double>> virtual_devices_mb;

  bool operator==(const GpuSetup&) const = default;
};

// Returns the setup for which gpu_options of a ConfigProto ask.
GpuSetup GpuSetupOf(const GpuOptions& options);

// Returns the names of the fields that `options` sets, as ConfigProto has them;
// those that no part of Millrace reads are "other fields".
std::vector<std::string> GpuFieldsOf(const GpuOptions& options);

// Returns the setup that the GPUs of this process have in common, since their
// memory is in pools of the process: `asked`, or that of the GPUs which are
// there already, whose devices hold what this returned. A warning, once in a
// process, says that another was asked for; a default one asks for nothing.
// Thread-safe.
std::shared_ptr<const GpuSetup> ShareGpuSetup(const GpuSetup& asked);

}  // namespace millrace

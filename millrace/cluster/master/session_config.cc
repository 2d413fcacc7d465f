#include "millrace/cluster/master/session_config.h"

#include <atomic>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "millrace/base/log.h"
#include "millrace/device/gpu_setup.h"

namespace millrace {
namespace {

// Logs once per process and field, since sessions are many.
void WarnOnce(std::atomic<bool>& warned, bool given, absl::string_view field,
              const char* instead) {
  if (!given || warned.exchange(true, std::memory_order_relaxed)) return;
  MR_LOG(Warning) << "a client's ConfigProto sets " << field
                  << ", which has no effect on a server; " << instead;
}

}  // namespace

ConfigOptions SessionConfig(const ConfigOptions& client,
                            const ConfigOptions& defaults) {
  static constinit std::atomic<bool> intra{false}, inter{false}, gpu{false},
      count{false};
  WarnOnce(intra, client.intra_op_parallelism_threads > 0,
           "intra_op_parallelism_threads",
           "give --intra_op_threads to the server");
  WarnOnce(inter, client.inter_op_parallelism_threads > 0,
           "inter_op_parallelism_threads",
           "give --inter_op_threads to the server");
  const std::vector<std::string> of_gpus = GpuFieldsOf(client.gpu_options);
  WarnOnce(gpu, !of_gpus.empty(),
           absl::StrCat("gpu_options (", absl::StrJoin(of_gpus, ", "), ")"),
           "give --gpu_memory_fraction, --gpu_allow_growth, --visible_devices "
           "or --virtual_devices to the server, or tf.train.Server a config");
  WarnOnce(count, client.device_count.contains("GPU"), "device_count of GPU",
           "give --device_count GPU=N to the server");

  ConfigOptions config = client;
  if (config.device_filters.empty()) {
    config.device_filters = defaults.device_filters;
  }
  config.allow_soft_placement |= defaults.allow_soft_placement;
  config.log_device_placement |= defaults.log_device_placement;
  config.isolate_session_state |= defaults.isolate_session_state;
  config.share_cluster_devices_in_session |=
      defaults.share_cluster_devices_in_session;
  config.graph_options.enable_bfloat16_sendrecv |=
      defaults.graph_options.enable_bfloat16_sendrecv;
  if (config.operation_timeout_ms == 0) {
    config.operation_timeout_ms = defaults.operation_timeout_ms;
  }
  if (config.experimental.collective_group_leader.empty()) {
    config.experimental.collective_group_leader =
        defaults.experimental.collective_group_leader;
  }
  return config;
}

}  // namespace millrace

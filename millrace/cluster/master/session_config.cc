#include "millrace/cluster/master/session_config.h"

#include <atomic>

#include "millrace/base/log.h"

namespace millrace {
namespace {

// Logs once per process and field, since sessions are many.
void WarnOnce(std::atomic<bool>& warned, bool given, const char* field,
              const char* instead) {
  if (!given || warned.exchange(true, std::memory_order_relaxed)) return;
  MR_LOG(Warning) << "a client's ConfigProto sets " << field
                  << ", which has no effect on a server; " << instead;
}

}  // namespace

ConfigOptions SessionConfig(const ConfigOptions& client,
                            const ConfigOptions& defaults) {
  static constinit std::atomic<bool> intra{false}, inter{false}, gpu{false};
  WarnOnce(intra, client.intra_op_parallelism_threads > 0,
           "intra_op_parallelism_threads",
           "give --intra_op_threads to the server");
  WarnOnce(inter, client.inter_op_parallelism_threads > 0,
           "inter_op_parallelism_threads",
           "give --inter_op_threads to the server");
  WarnOnce(gpu,
           client.gpu_options.per_process_gpu_memory_fraction > 0 ||
               client.gpu_options.allow_growth ||
               !client.gpu_options.visible_device_list.empty(),
           "gpu_options", "give them to the server");

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

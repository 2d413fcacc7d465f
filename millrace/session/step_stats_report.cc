// Turns what a step recorded into the form that clients read.
#include "millrace/session/local_session.h"

namespace millrace {

StepStats ToStepStats(StepStatsCollector& collector) {
  StepStats report;
  const int64_t offset = collector.wall_offset_micros() * 1000;
  for (const StepStatsCollector::DeviceStats& device : collector.Take()) {
    DeviceStepStats& out = report.dev_stats.emplace_back();
    out.device = device.device;
    for (const NodeStats& node : device.nodes) {
      NodeExecStats& n = out.node_stats.emplace_back();
      n.node_name = node.node_name;
      n.timeline_label = node.timeline_label;
      n.thread_id = static_cast<uint32_t>(node.thread_id);
      n.scheduled_nanos = node.scheduled_nanos + offset;
      n.scheduled_micros = n.scheduled_nanos / 1000;
      n.all_start_nanos = node.start_nanos + offset;
      n.all_start_micros = n.all_start_nanos / 1000;
      n.op_end_rel_nanos = n.all_end_rel_nanos =
          node.end_nanos - node.start_nanos;
      n.op_end_rel_micros = n.all_end_rel_micros = n.op_end_rel_nanos / 1000;
      for (const NodeStats::Output& output : node.outputs) {
        NodeOutputStats& o = n.output.emplace_back();
        o.slot = output.slot;
        o.tensor_description.dtype = output.dtype;
        o.tensor_description.shape = output.shape;
        o.tensor_description.allocation_description.requested_bytes =
            output.bytes;
        o.tensor_description.allocation_description.allocated_bytes =
            output.bytes;
      }
    }
  }
  return report;
}

}  // namespace millrace

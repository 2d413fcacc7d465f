// The field numbers of the master's messages and of DeviceAttributes:
// proto/service/master.proto, device_attributes.proto.
#pragma once

#include "millrace/protocol/stats_fields.h"

namespace millrace {

MR_FIELDS(DeviceLink) {
  f(1, m.device_id);
  f(2, m.type);
  f(3, m.strength);
}

// The list of links has a message of its own on the wire.
struct DeviceLinks {
  std::vector<DeviceLink>* links;
};
template <class F>
void VisitFields(DeviceLinks& m, F& f) {
  f(1, *m.links);
}
template <class F>
void VisitFields(const DeviceLinks& m, F& f) {
  f(1, std::as_const(*m.links));
}

MR_FIELDS(DeviceLocality) {
  f(1, m.bus_id);
  f(2, m.numa_node);
  DeviceLinks links{const_cast<std::vector<DeviceLink>*>(&m.links)};
  f(3, links);
}
MR_FIELDS(DeviceAttributes) {
  f(1, m.name);
  f(2, m.device_type);
  f(4, m.memory_limit_bytes);
  f(5, m.locality);
  f(6, m.incarnation, internal::Fixed64{});
  f(7, m.physical_description);
  f(8, m.xla_global_id);
}

MR_FIELDS(CreateSessionRequest) {
  f(1, m.graph_def);
  f(2, m.config);
  f(3, m.target);
}
MR_FIELDS(CreateSessionReply) {
  f(1, m.session_handle);
  f(2, m.graph_version);
}
MR_FIELDS(ExtendSessionRequest) {
  f(1, m.session_handle);
  f(2, m.graph_def);
  f(3, m.current_graph_version);
}
MR_FIELDS(ExtendSessionReply) { f(4, m.new_graph_version); }
MR_FIELDS(RunStepRequest) {
  f(1, m.session_handle);
  f(2, m.feeds);
  f(3, m.fetches);
  f(4, m.targets);
  f(5, m.options);
  f(6, m.partial_run_handle);
  f(7, m.store_errors_in_response_body);
  f(8, m.request_id);
}
MR_FIELDS(RunStepReply) {
  f(1, m.tensors);
  f(2, m.metadata);
  f(internal::StatusNumbers{3, 4}, m.status);
}
MR_FIELDS(PartialRunSetupRequest) {
  f(1, m.session_handle);
  f(2, m.feeds);
  f(3, m.fetches);
  f(4, m.targets);
  f(5, m.request_id);
}
MR_FIELDS(PartialRunSetupReply) { f(1, m.partial_run_handle); }
MR_FIELDS(CloseSessionRequest) { f(1, m.session_handle); }
MR_FIELDS(CloseSessionReply) {}
MR_FIELDS(ResetRequest) {
  f(1, m.containers);
  f(2, m.device_filters);
}
MR_FIELDS(ResetReply) {}
MR_FIELDS(ListDevicesRequest) { f(1, m.session_handle); }
MR_FIELDS(ListDevicesReply) {
  f(1, m.local_devices);
  f(2, m.remote_devices);
}
MR_FIELDS(MakeCallableRequest) {
  f(1, m.session_handle);
  f(2, m.options);
  f(3, m.request_id);
}
MR_FIELDS(MakeCallableReply) { f(1, m.handle); }
MR_FIELDS(RunCallableRequest) {
  f(1, m.session_handle);
  f(2, m.handle);
  f(3, m.feeds);
  f(4, m.request_id);
}
MR_FIELDS(RunCallableReply) {
  f(1, m.fetches);
  f(2, m.metadata);
}
MR_FIELDS(ReleaseCallableRequest) {
  f(1, m.session_handle);
  f(2, m.handle);
}
MR_FIELDS(ReleaseCallableReply) {}

}  // namespace millrace

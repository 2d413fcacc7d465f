// ListDevices: the devices of the cluster that a session sees.
#pragma once

#include "millrace/cluster/master/master_session.h"

namespace millrace {

// Asks every task that passes the session's filter; those that answer within
// MasterOptions::list_devices_wait_ms are listed, the others are named in the
// log. All devices are `local_devices`, unless the session brought its own
// cluster: then those of other tasks are `remote_devices`.
void ListDevices(Ref<MasterSession> session, CallContext& context,
                 ListDevicesReply* reply, Done done);

}  // namespace millrace

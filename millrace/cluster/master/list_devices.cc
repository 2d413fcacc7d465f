#include "millrace/cluster/master/list_devices.h"

#include <algorithm>
#include <utility>

#include "millrace/base/log.h"
#include "millrace/cluster/master/join_tasks.h"

namespace millrace {

void ListDevices(Ref<MasterSession> session, CallContext& context,
                 ListDevicesReply* reply, Done done) {
  JoinOptions join;
  join.who = absl::StrCat("list_devices of session ", session->handle());
  join.deadline =
      Deadline::Min(context.deadline,
                    Deadline::AfterMillis(
                        session->environment().options.list_devices_wait_ms));
  join.abort_for_lost_tasks = false;
  for (Ref<Peer>& peer : session->peers().All()) {
    if (session->filter().Allows(peer->task())) {
      join.peers.push_back(std::move(peer));
    }
  }
  // The master's own task is the first, as in TensorFlow.
  std::stable_partition(join.peers.begin(), join.peers.end(),
                        [](const Ref<Peer>& peer) { return peer->is_self(); });
  const std::vector<Ref<Peer>> peers = join.peers;
  JoinTasks(session->environment(), std::move(join), context.cancel,
            [session, peers, reply,
             done = std::move(done)](std::vector<Status> statuses) mutable {
              for (size_t i = 0; i < peers.size(); ++i) {
                if (!statuses[i].ok()) {
                  MR_LOG(Warning)
                      << "list_devices leaves out "
                      << peers[i]->task().ToString() << ": " << statuses[i];
                  continue;
                }
                std::vector<DeviceAttributes>& list =
                    session->is_propagated() && !peers[i]->is_self()
                        ? reply->remote_devices
                        : reply->local_devices;
                for (DeviceAttributes& device : peers[i]->devices()) {
                  list.push_back(std::move(device));
                }
              }
              std::move(done)(OkStatus());
            });
}

}  // namespace millrace

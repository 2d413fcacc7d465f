#include "millrace/cluster/peers.h"

#include <map>
#include <utility>

#include "millrace/cluster/peer_link.h"

namespace millrace {
namespace {

class PeerTable final : public Peers {
 public:
  explicit PeerTable(PeersOptions options) : options_(std::move(options)) {}

  StatusOr<Ref<Peer>> Find(const TaskName& task) override {
    MutexLock lock(mu_);
    const auto it = links_.find(task);
    if (it != links_.end()) return Ref<Peer>(it->second);
    MR_ASSIGN_OR_RETURN(std::string address, options_.cluster.Address(task));
    auto link = MakeRef<PeerLink>(options_, task, std::move(address));
    links_.emplace(task, link);
    return Ref<Peer>(std::move(link));
  }

  std::vector<Ref<Peer>> All() override {
    std::vector<Ref<Peer>> all;
    for (const TaskName& task : options_.cluster.Tasks()) {
      StatusOr<Ref<Peer>> peer = Find(task);
      if (peer.ok()) all.push_back(*std::move(peer));
    }
    return all;
  }

  const ClusterSpec& cluster() const override { return options_.cluster; }

 private:
  const PeersOptions options_;
  Mutex mu_;
  std::map<TaskName, Ref<PeerLink>> links_;  // guarded by mu_
};

}  // namespace

std::unique_ptr<Peers> MakePeers(PeersOptions options) {
  return std::make_unique<PeerTable>(std::move(options));
}

}  // namespace millrace

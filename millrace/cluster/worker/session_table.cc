#include "millrace/cluster/worker/session_table.h"

#include <utility>

#include "absl/hash/hash.h"
#include "millrace/base/log.h"
#include "millrace/cluster/worker/worker_state.h"

namespace millrace {

Status SessionTable::Create(const CreateWorkerSessionRequest& request) {
  const std::string& handle = request.session_handle;
  if (handle.empty())
    return InvalidArgument("CreateWorkerSession needs a session handle");
  {
    MutexLock lock(mu_);
    MR_ASSIGN_OR_RETURN(const bool there, SessionExists(request));
    if (there) return OkStatus();
  }
  MR_ASSIGN_OR_RETURN(Ref<WorkerSession> made,
                      WorkerSession::Make(worker_, request));
  std::vector<Entry> old;
  {
    MutexLock lock(mu_);
    MR_ASSIGN_OR_RETURN(const bool there, SessionExists(request));
    if (there) return OkStatus();
    old = TakeReplaced(request);
    sessions_[handle].session = made;
  }
  for (Entry& entry : old) {
    MR_LOG(Info) << "Session " << entry.session->handle() << " of "
                 << request.master_task
                 << " ends: its master has made a new one";
    End(std::move(entry),
        Aborted("The master of the session, ", request.master_task,
                ", was restarted or has made the session again."));
  }
  Watch(made);
  return OkStatus();
}

StatusOr<bool> SessionTable::SessionExists(
    const CreateWorkerSessionRequest& request) const {
  const std::string& handle = request.session_handle;
  if (deleted_.Contains(absl::HashOf(handle))) {
    return Aborted("Session ", handle, " was deleted at ", worker_.task_name,
                   ".");
  }
  const auto it = sessions_.find(handle);
  if (it == sessions_.end()) return false;
  const WorkerSession& there = *it->second.session;
  if (there.master_task() != request.master_task) {
    return AlreadyExists("Session ", handle, " was made by another master, '",
                         there.master_task(), "'.");
  }
  return request.master_incarnation != 0 &&
         there.master_incarnation() == request.master_incarnation;
}

std::vector<SessionTable::Entry> SessionTable::TakeReplaced(
    const CreateWorkerSessionRequest& request) {
  std::vector<Entry> replaced;
  for (auto it = sessions_.begin(); it != sessions_.end();) {
    const WorkerSession& there = *it->second.session;
    const bool outdated =
        !request.master_task.empty() && request.master_incarnation != 0 &&
        there.master_task() == request.master_task &&
        there.master_incarnation() != request.master_incarnation;
    if (outdated || it->first == request.session_handle) {
      replaced.push_back(std::move(it->second));
      it = sessions_.erase(it);
    } else {
      ++it;
    }
  }
  return replaced;
}

void SessionTable::Watch(const Ref<WorkerSession>& session) {
  const StatusOr<TaskName> master = TaskName::Parse(session->master_task());
  if (!master.ok()) return;
  const StatusOr<Ref<Peer>> peer = session->peers()->Find(*master);
  if (!peer.ok()) {
    MR_LOG(Info) << "Session " << session->handle()
                 << ": its master cannot be watched: " << peer.status();
    return;
  }
  if ((*peer)->is_self()) return;
  const uint64_t watch = worker_.masters->AddSession(
      *peer, session->master_incarnation(),
      [this, session](Status reason) { OnMasterLost(session, reason); });
  {
    MutexLock lock(mu_);
    const auto it = sessions_.find(session->handle());
    if (it != sessions_.end() && it->second.session == session) {
      it->second.watch = watch;
      session->set_watch(watch);
      return;
    }
  }
  worker_.masters->RemoveSession(watch);  // deleted meanwhile
}

void SessionTable::OnMasterLost(const Ref<WorkerSession>& session,
                                const Status& reason) {
  Entry entry;
  {
    MutexLock lock(mu_);
    const auto it = sessions_.find(session->handle());
    if (it == sessions_.end() || it->second.session != session) return;
    entry = std::move(it->second);
    sessions_.erase(it);
  }
  MR_LOG(Warning) << "Session " << session->handle() << " ends: " << reason;
  End(std::move(entry), reason);
}

void SessionTable::Delete(const std::string& handle) {
  Entry entry;
  {
    MutexLock lock(mu_);
    const auto it = sessions_.find(handle);
    if (it != sessions_.end()) {
      entry = std::move(it->second);
      sessions_.erase(it);
    }
    // A duplicate CreateWorkerSession may still be in flight.
    deleted_.Insert(absl::HashOf(handle));
  }
  if (entry.session != nullptr) {
    End(std::move(entry), Cancelled("Session ", handle, " was closed."));
  }
}

void SessionTable::End(Entry entry, const Status& reason) {
  if (entry.watch != 0) worker_.masters->RemoveSession(entry.watch);
  entry.session->End(reason);
  worker_.steps->EndSession(entry.session->handle(), reason);
  worker_.heap_trimmer.Schedule();
}

StatusOr<Ref<WorkerSession>> SessionTable::Find(
    const std::string& handle) const {
  MutexLock lock(mu_);
  const auto it = sessions_.find(handle);
  if (it != sessions_.end()) return it->second.session;
  return Aborted("Session handle is not found: ", handle,
                 ". Possibly this worker (\"", worker_.task_name,
                 "\") just restarted.");
}

void SessionTable::EndAll(const Status& reason) {
  absl::btree_map<std::string, Entry> all;
  {
    MutexLock lock(mu_);
    all.swap(sessions_);
  }
  for (auto& [handle, entry] : all) End(std::move(entry), reason);
}

std::vector<Ref<WorkerSession>> SessionTable::All() const {
  std::vector<Ref<WorkerSession>> all;
  MutexLock lock(mu_);
  for (const auto& [handle, entry] : sessions_) all.push_back(entry.session);
  return all;
}

SessionTable::Counts SessionTable::counts() const {
  Counts counts;
  for (const Ref<WorkerSession>& session : All()) {
    ++counts.sessions;
    const WorkerSession::Counts of = session->counts();
    counts.graphs += of.graphs;
    counts.plans += of.plans;
    counts.kernels += of.kernels;
  }
  return counts;
}

}  // namespace millrace

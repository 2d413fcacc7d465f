#include "millrace/cluster/master/reset_containers.h"

#include <utility>

#include "absl/strings/str_join.h"
#include "millrace/base/log.h"
#include "millrace/cluster/master/fan_out.h"

namespace millrace {
namespace {

// For tasks that do not answer; the others take milliseconds.
constexpr int64_t kResetWaitMs = 5'000;

using Cleanup = FanOut<CleanupAllRequest, CleanupAllReply>;

Status ResetStatus(const std::vector<Cleanup::Call>& calls) {
  Status error;
  std::vector<std::string> lost;
  for (const Cleanup::Call& call : calls) {
    if (call.status.ok()) continue;
    const bool unreachable =
        call.status.code() == StatusCode::kUnavailable ||
        call.status.code() == StatusCode::kDeadlineExceeded;
    if (!unreachable) {
      UpdateStatus(error, call.status);
    } else if (!call.peer->has_answered()) {
      MR_LOG(Warning) << "reset leaves out " << call.peer->task().ToString()
                      << ", which has never answered: " << call.status;
    } else {
      lost.push_back(absl::StrCat(call.peer->task().ToString(), " at ",
                                  call.peer->address(), " (",
                                  call.status.message(), ")"));
    }
  }
  if (!error.ok() || lost.empty()) return error;
  return Aborted("Reset did not reach ", absl::StrJoin(lost, ", "));
}

}  // namespace

void ResetContainers(MasterEnvironment& environment,
                     const std::vector<std::string>& containers,
                     const TaskFilter& filter, CallContext& context,
                     Done done) {
  std::vector<Cleanup::Call> calls;
  for (const Ref<Peer>& peer : environment.options.peers->All()) {
    if (!filter.Allows(peer->task())) continue;
    Cleanup::Call& call = calls.emplace_back();
    call.peer = peer;
    call.request.containers = containers;
  }
  Cleanup::Start(
      std::move(calls), &WorkerApi::CleanupAll,
      Deadline::Min(context.deadline, Deadline::AfterMillis(kResetWaitMs)),
      context.cancel, &environment.in_flight,
      [done = std::move(done)](std::vector<Cleanup::Call>& calls) mutable {
        std::move(done)(ResetStatus(calls));
      });
}

}  // namespace millrace

#include "millrace/train/input/queue_runner.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "millrace/base/threads/thread.h"

namespace millrace::train {
namespace {

StatusOr<Operation> FindOperation(const ClientGraph& graph,
                                  const std::string& name) {
  const Operation op = graph.Find(name);
  if (op) return op;
  return NotFound("The name '", name,
                  "' of a queue runner refers to an Operation not in the "
                  "graph.");
}

}  // namespace

struct QueueRunner::State {
  std::string name;
  std::vector<Operation> enqueue_ops;
  Operation close_op;
  Operation cancel_op;
  std::vector<StatusCode> closed_codes;

  Mutex mu;                                      // guards all below
  absl::flat_hash_set<const Session*> sessions;  // for which it runs
};

QueueRunner::QueueRunner(const Scope& scope, const Queue& queue,
                         std::vector<Operation> enqueue_ops,
                         const QueueRunnerOptions& options) {
  const bool has_all =
      queue && !enqueue_ops.empty() &&
      std::all_of(enqueue_ops.begin(), enqueue_ops.end(),
                  [](const Operation& op) { return static_cast<bool>(op); });
  if (!has_all) {
    scope.Fail(InvalidArgument("Must provide queue and enqueue_ops."),
               queue.name());
    return;
  }
  // They run alone, whatever control dependencies the scope has.
  const Scope alone = scope.WithoutControlDependencies().WithOpName("");
  auto state = std::make_shared<State>();
  state->name = queue.name();
  state->enqueue_ops = std::move(enqueue_ops);
  state->close_op = options.close_op ? options.close_op : queue.Close(alone);
  state->cancel_op =
      options.cancel_op ? options.cancel_op
                        : queue.Close(alone, {.cancel_pending_enqueues = true});
  state->closed_codes = options.queue_closed_codes;
  if (!state->close_op || !state->cancel_op) return;
  state_ = std::move(state);
}

QueueRunner::Parts QueueRunner::parts() const {
  if (!state_) return {};
  Parts parts{.queue_name = name(),
              .enqueue_op_names = {},
              .close_op_name = close_op().name(),
              .cancel_op_name = cancel_op().name(),
              .queue_closed_codes = state_->closed_codes};
  for (const Operation& op : enqueue_ops()) {
    parts.enqueue_op_names.push_back(op.name());
  }
  return parts;
}

StatusOr<QueueRunner> QueueRunner::FromParts(ClientGraph& graph,
                                             const Parts& parts) {
  auto state = std::make_shared<State>();
  MR_ASSIGN_OR_RETURN(const Operation queue,
                      FindOperation(graph, parts.queue_name));
  state->name = queue.name();
  for (const std::string& name : parts.enqueue_op_names) {
    MR_ASSIGN_OR_RETURN(Operation op, FindOperation(graph, name));
    state->enqueue_ops.push_back(op);
  }
  if (state->enqueue_ops.empty()) {
    return InvalidArgument("a queue runner of '", queue.name(),
                           "' without enqueue ops");
  }
  MR_ASSIGN_OR_RETURN(state->close_op,
                      FindOperation(graph, parts.close_op_name));
  MR_ASSIGN_OR_RETURN(state->cancel_op,
                      FindOperation(graph, parts.cancel_op_name));
  state->closed_codes = parts.queue_closed_codes;
  if (state->closed_codes.empty()) {
    state->closed_codes = {StatusCode::kOutOfRange};
  }
  QueueRunner runner;
  runner.state_ = std::move(state);
  return runner;
}

const QueueRunner::State& QueueRunner::state() const {
  static const State* const none = new State;
  return state_ ? *state_ : *none;
}
const std::string& QueueRunner::name() const { return state().name; }
const std::vector<Operation>& QueueRunner::enqueue_ops() const {
  return state().enqueue_ops;
}
const Operation& QueueRunner::close_op() const { return state().close_op; }
const Operation& QueueRunner::cancel_op() const { return state().cancel_op; }

bool QueueRunner::IsEnd(const Status& status) const {
  if (!state_ || status.ok()) return false;
  const auto& codes = state_->closed_codes;
  return std::find(codes.begin(), codes.end(), status.code()) != codes.end();
}

bool QueueRunner::Claim(const Session* session) const {
  MutexLock lock(state_->mu);
  return state_->sessions.insert(session).second;
}

void QueueRunner::Release(const Session* session) const {
  MutexLock lock(state_->mu);
  state_->sessions.erase(session);
}

void AddQueueRunner(const Scope& scope, const QueueRunner& runner,
                    const AddQueueRunnerOptions& options) {
  if (runner) scope.graph().AddToCollection(options.collection, runner);
}

}  // namespace millrace::train

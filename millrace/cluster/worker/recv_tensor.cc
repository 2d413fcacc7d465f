#include "millrace/cluster/worker/recv_tensor.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "millrace/base/clock.h"
#include "millrace/cluster/traffic.h"
#include "millrace/kernel/rendezvous.h"
#include "millrace/kernel/variable_view.h"

namespace millrace {
namespace {

// Stock's mark of this error, for its masters.
constexpr absl::string_view kRestartedUrl =
    "type.googleapis.com/"
    "tensorflow.distributed_runtime.WorkerPossiblyRestarted";

}  // namespace

Status CheckSender(const WorkerState& worker, absl::string_view key) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(key, absl::MaxSplits(';', 2));
  uint64_t incarnation = 0;
  if (parts.size() < 3 || parts[1].size() != 16 ||
      !absl::SimpleHexAtoi(parts[1], &incarnation)) {
    return InvalidArgument("Invalid rendezvous key: ", key);
  }
  const Device* sender = nullptr;
  for (const auto& device : worker.options.devices) {
    if (device->name() == parts[0]) sender = device.get();
  }
  if (sender == nullptr) {
    // Sessions may know this task by another name.
    MR_ASSIGN_OR_RETURN(const DeviceName name, DeviceName::Parse(parts[0]));
    for (const auto& device : worker.options.devices) {
      if (device->parsed_name().type == name.type &&
          device->parsed_name().index == name.index) {
        sender = device.get();
      }
    }
  }
  if (sender == nullptr) {
    return InvalidArgument(
        "Invalid rendezvous key (src): ", key, "; ", worker.task_name, " has ",
        worker.options.devices.size(), " devices, of which it is none");
  }
  const uint64_t own = sender->attributes().incarnation;
  if (own == incarnation) return OkStatus();
  Status status = Aborted(
      "RecvTensor expects a different device incarnation: ", incarnation,
      " vs. ", own, ". Your worker job (\"", worker.task_name,
      "\") was probably restarted. Check your worker job for the reason why "
      "it was restarted.");
  status.SetPayload(kRestartedUrl, absl::Cord());
  return status;
}

void RecvTensorCall::Serve(WorkerState& worker, CallContext& context,
                           const RecvTensorRequest& request,
                           RecvTensorReply* reply, Done done) {
  Status status = worker.refusal();
  if (status.ok()) status = CheckSender(worker, request.rendezvous_key);
  if (status.ok()) status = context.Check();
  if (!status.ok()) {
    std::move(done)(std::move(status));
    return;
  }
  StatusOr<Ref<StepTable::Step>> step =
      worker.steps->BeginReceive(request.step_id);
  if (!step.ok()) {
    std::move(done)(step.status());
    return;
  }
  const auto call = MakeRef<RecvTensorCall>(worker, *step, request);
  const StatusOr<Ref<ReceiveCall>> there =
      (*step)->receives.Begin(request.request_id, call);
  if (there.ok() && *there == nullptr) {
    call->Attach(context, reply, done);
    call->Start(context.deadline);
    return;
  }
  if (there.ok() && (*there)->Attach(context, reply, done)) return;
  std::move(done)(
      there.ok()
          ? Aborted("The same request was received before, and has ended.")
          : there.status());
}

RecvTensorCall::RecvTensorCall(WorkerState& worker, Ref<StepTable::Step> step,
                               const RecvTensorRequest& request)
    : active_(worker),
      worker_(worker),
      step_(std::move(step)),
      request_(request),
      scope_(&worker.scope),
      calls_([this](Status reason) { scope_.Cancel(std::move(reason)); }) {}

RecvTensorCall::~RecvTensorCall() { worker_.steps->EndReceive(*step_); }

void RecvTensorCall::Start(Deadline deadline) {
  if (!deadline.infinite()) {
    scope_.CancelAt(deadline, worker_.lanes.timer,
                    DeadlineExceeded("RecvTensor of step ", request_.step_id,
                                     " did not end by its deadline"));
  }
  step_->rendezvous->RecvAsync(request_.rendezvous_key, &scope_,
                               [self = Ref<RecvTensorCall>::Share(this)](
                                   StatusOr<RendezvousValue> received) {
                                 self->Finish(std::move(received));
                               });
}

void RecvTensorCall::Finish(StatusOr<RendezvousValue> received) {
  step_->receives.End(request_.request_id);
  RecvTensorReply reply;
  // Another task may also ask for a view that devices of this task exchange.
  Status status = received.status();
  if (status.ok()) status = Bind(&received->tensor, nullptr);
  if (status.ok()) {
    reply.is_dead = received->is_dead;
    // A dead value still needs a type and a shape to travel.
    reply.tensor = received->tensor.valid()
                       ? std::move(received->tensor)
                       : Tensor::Zeros(DataType::kFloat, {0});
    reply.send_start_micros = WallMicros();
  }
  // If there is a value, its run has set this before.
  StepStatsCollector* const stats = status.ok() ? step_->stats.get() : nullptr;
  const int64_t number = stats != nullptr ? RecordSend(reply, *stats) : -1;
  calls_.Complete(std::move(reply), status);
  if (stats != nullptr) stats->SetEnd(number, NowNanos());
}

int64_t RecvTensorCall::RecordSend(const RecvTensorReply& reply,
                                   StepStatsCollector& stats) {
  TransferStats transfer;
  transfer.key = request_.rendezvous_key;
  transfer.request_id = request_.request_id;
  transfer.is_send = true;
  transfer.is_dead = reply.is_dead;
  // Recorded before the receiver has the tensor, so that a trace of an ended
  // step has both ends; the duration is added later.
  transfer.start_nanos = transfer.end_nanos = NowNanos();
  transfer.bytes = reply.is_dead ? 0 : TensorBytes(reply);
  return stats.Record(std::move(transfer));
}

}  // namespace millrace

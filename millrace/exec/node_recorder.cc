#include "millrace/exec/node_recorder.h"

#include <utility>

#include "millrace/base/clock.h"

namespace millrace {
namespace {

uintptr_t AddressOf(const Tensor& tensor) {
  return tensor.buffer() != nullptr ? tensor.address() : 0;
}

// A reference edge has the variable's value, if there is one.
void AddReference(int slot, const Variable& variable, NodeStats* stats) {
  const StatusOr<TensorShape> shape = variable.Shape();
  if (!shape.ok()) return;
  const int64_t bytes =
      shape->num_elements() * static_cast<int64_t>(SizeOf(variable.dtype()));
  stats->outputs.push_back({.slot = slot,
                            .dtype = variable.dtype(),
                            .shape = *shape,
                            .bytes = bytes});
}

}  // namespace

NodeRecorder::NodeRecorder(const Plan& plan, StepStatsCollector* stats)
    : plan_(plan),
      stats_(stats),
      keeps_all_(stats != nullptr && stats->keeps_all()),
      number_(stats != nullptr ? stats->AddPlan(plan.Labels()) : 0) {}

std::unique_ptr<NodeRecorder::Notes> NodeRecorder::Note(
    absl::Span<const EdgeValue> inputs) {
  auto notes = std::make_unique<Notes>();
  for (const EdgeValue& input : inputs) {
    notes->inputs.push_back(AddressOf(input.tensor));
  }
  return notes;
}

void NodeRecorder::Record(const PlanNode& n, int64_t start_nanos,
                          int64_t end_nanos,
                          absl::Span<const EdgeValue> outputs,
                          std::unique_ptr<Notes> notes) const {
  NodeStats stats;
  stats.plan = number_;
  stats.node = static_cast<int32_t>(&n - plan_.nodes().data());
  stats.is_async = n.is_async;
  stats.start_nanos = start_nanos;
  stats.end_nanos = end_nanos;
  stats.thread_id = CurrentThreadId();
  AddOutputs(outputs, notes.get(), &stats);
  if (notes != nullptr) stats.allocations = notes->allocations.Take();
  stats_->Record(std::move(stats));
}

void NodeRecorder::RecordLight(const PlanNode& n,
                               absl::Span<const EdgeValue> outputs) const {
  NodeStats stats;
  stats.plan = number_;
  stats.node = static_cast<int32_t>(&n - plan_.nodes().data());
  stats.is_light = true;
  stats.start_nanos = stats.end_nanos = NowNanos();
  stats.thread_id = CurrentThreadId();
  AddOutputs(outputs, nullptr, &stats);
  stats_->Record(std::move(stats));
}

void NodeRecorder::RecordSource() const {
  NodeStats stats;
  stats.plan = number_;
  stats.node = kSourceNode;
  stats.is_light = true;
  stats.start_nanos = stats.end_nanos = NowNanos();
  stats.thread_id = CurrentThreadId();
  stats_->Record(std::move(stats));
}

void NodeRecorder::AddOutputs(absl::Span<const EdgeValue> outputs,
                              const Notes* notes, NodeStats* stats) const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const int slot = static_cast<int>(i);
    const Tensor& t = outputs[i].tensor;
    if (!t.valid()) {
      if (keeps_all_ && outputs[i].ref) {
        AddReference(slot, *outputs[i].ref, stats);
      }
      continue;
    }
    NodeStats::Output& output = stats->outputs.emplace_back();
    output.slot = slot;
    output.dtype = t.dtype();
    output.shape = t.shape();
    output.bytes = static_cast<int64_t>(t.size_bytes());
    if (!keeps_all_) continue;
    output.address = AddressOf(t);
    output.is_sole = t.IsUnshared();
    if (notes == nullptr || output.address == 0) continue;
    for (size_t k = 0; k < notes->inputs.size(); ++k) {
      if (notes->inputs[k] != output.address) continue;
      output.alias_input = static_cast<int>(k);
      break;
    }
  }
}

}  // namespace millrace

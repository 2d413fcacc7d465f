#include "millrace/cluster/trace/trace_file.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "millrace/base/json/json_text.h"
#include "millrace/base/memory/checked_size.h"
#include "millrace/base/version.h"
#include "millrace/cluster/trace/trace_event_writer.h"
#include "millrace/cluster/trace/trace_lanes.h"

namespace millrace {
namespace {

// Groups of tracks in a process, from the top.
enum Group : int { kSteps, kParts, kNodes, kWaitingNodes, kReceives, kSends };

// Tracks of one name, which share its spans.
struct TrackGroup {
  std::string name;
  bool may_nest = false;
  std::vector<size_t> items;  // what it shows, as indices of the group's kind
  std::vector<TimeSpan> spans;
};

// The group's rank, its device, its thread.
using TrackKey = std::tuple<int, std::string, int64_t>;

// A transfer between two tasks.
struct Arrow {
  struct End {
    TracePlace place;
    TimeSpan span;
  };
  std::optional<End> send;
  std::optional<End> receive;
  int64_t bytes = 0;
  std::string tensor;
};

class TraceFileWriter {
 public:
  TraceFileWriter(const ClusterTrace& trace, WritableFile* file)
      : trace_(trace), out_(file) {
    for (size_t i = 0; i < trace.steps.size(); ++i) {
      step_numbers_[trace.steps[i].step_id] = static_cast<int64_t>(i);
    }
  }

  StatusOr<TraceTotals> Write() {
    FindOrigin();
    for (size_t i = 0; i < trace_.tasks.size(); ++i) WriteTask(i);
    WriteArrows();
    MR_RETURN_IF_ERROR(out_.Finish(OtherData()));
    return totals_;
  }

 private:
  // Returns the number of a chosen step; null for other steps.
  const int64_t* StepNumber(int64_t step_id) const {
    const auto it = step_numbers_.find(step_id);
    return it == step_numbers_.end() ? nullptr : &it->second;
  }

  template <class Event>
  static TimeSpan SpanOf(const ClusterTrace::Task& task, const Event& event) {
    const int64_t start = task.clock.ToLocalNanos(event.start_nanos);
    return {start, start + std::clamp<int64_t>(event.duration_nanos, 0,
                                               ClockAlignment::kMaxNanos)};
  }

  void FindOrigin() {
    int64_t first = std::numeric_limits<int64_t>::max();
    const auto look = [&](const ClusterTrace::Task& task, const auto& events) {
      for (const auto& event : events) {
        if (StepNumber(event.step_id) == nullptr) continue;
        first = std::min(first, task.clock.ToLocalNanos(event.start_nanos));
      }
    };
    for (const ClusterTrace::Task& task : trace_.tasks) {
      look(task, task.events.nodes);
      look(task, task.events.transfers);
    }
    for (const ClusterTrace::Step& step : trace_.steps) {
      first = std::min(first, step.start_nanos);
    }
    origin_ = first == std::numeric_limits<int64_t>::max() ? 0 : first;
  }

  static absl::string_view Text(const CollectTraceReply& events, int32_t text) {
    // The indices come from another server.
    if (text < 0 || static_cast<size_t>(text) >= events.strings.size()) {
      return "";
    }
    return events.strings[static_cast<size_t>(text)];
  }

  void WriteTask(size_t index) {
    const ClusterTrace::Task& task = trace_.tasks[index];
    task_ = &task;
    process_ = static_cast<int32_t>(index) + 1;
    groups_.clear();
    GroupSteps(index);
    GroupNodes();
    GroupTransfers();
    if (groups_.empty()) return;
    ++totals_.tasks;
    out_.NameProcess(process_, absl::StrCat(task.task, " ", task.address),
                     process_);
    for (const auto& [key, group] : groups_) WriteGroup(key, group);
  }

  void Put(Group group, const std::string& device, int64_t thread,
           absl::string_view name, TimeSpan span, size_t item) {
    TrackGroup& tracks = groups_[TrackKey(group, device, thread)];
    if (tracks.items.empty()) {
      tracks.name = std::string(name);
      tracks.may_nest = group == kNodes;
    }
    tracks.items.push_back(item);
    tracks.spans.push_back(span);
  }

  // Collects the steps whose master is here, and those that other masters run
  // here.
  void GroupSteps(size_t index) {
    std::map<int64_t, TimeSpan> parts;  // by the number of the step
    const auto widen = [&](const auto& events) {
      for (const auto& event : events) {
        const int64_t* number = StepNumber(event.step_id);
        if (number == nullptr) continue;
        const TimeSpan span = SpanOf(*task_, event);
        const auto [it, added] = parts.try_emplace(*number, span);
        it->second.start = std::min(it->second.start, span.start);
        it->second.end = std::max(it->second.end, span.end);
      }
    };
    widen(task_->events.nodes);
    widen(task_->events.transfers);
    for (size_t i = 0; i < trace_.steps.size(); ++i) {
      const ClusterTrace::Step& step = trace_.steps[i];
      if (step.master != index) continue;
      Put(kSteps, "", 0, "steps of this master",
          {step.start_nanos, std::max(step.start_nanos, step.end_nanos)}, i);
    }
    for (const auto& [number, span] : parts) {
      Put(kParts, "", 0, "steps here", span, static_cast<size_t>(number));
    }
  }

  void GroupNodes() {
    const CollectTraceReply& events = task_->events;
    absl::flat_hash_map<int64_t, std::string> threads;
    for (const TracedThread& t : events.threads) threads[t.thread_id] = t.name;
    for (size_t i = 0; i < events.nodes.size(); ++i) {
      const TracedNode& node = events.nodes[i];
      if (StepNumber(node.step_id) == nullptr) continue;
      const std::string device(Text(events, node.device));
      const std::string short_name = device.substr(
          device.rfind('/') == std::string::npos ? 0 : device.rfind('/') + 1);
      const TimeSpan span = SpanOf(*task_, node);
      if (node.is_async) {
        Put(kWaitingNodes, device, 0,
            absl::StrCat(short_name, " nodes that wait"), span, i);
      } else {
        Put(kNodes, device, node.thread_id,
            absl::StrCat(short_name, " ", threads[node.thread_id]), span, i);
      }
    }
  }

  void GroupTransfers() {
    const std::vector<TracedTransfer>& transfers = task_->events.transfers;
    for (size_t i = 0; i < transfers.size(); ++i) {
      if (StepNumber(transfers[i].step_id) == nullptr) continue;
      const bool is_send = transfers[i].is_send;
      Put(is_send ? kSends : kReceives, "", 0,
          is_send ? "tensors that go" : "tensors that come",
          SpanOf(*task_, transfers[i]), i);
    }
  }

  void WriteGroup(const TrackKey& key, const TrackGroup& group) {
    const std::vector<size_t> lanes = AssignLanes(group.spans, group.may_nest);
    const int64_t first = next_track_;
    const auto count =
        static_cast<int64_t>(*std::max_element(lanes.begin(), lanes.end()) + 1);
    next_track_ += count;
    for (int64_t i = 0; i < count; ++i) {
      out_.NameTrack(
          {process_, first + i},
          i == 0 ? group.name : absl::StrCat(group.name, " #", i + 1),
          first + i);
    }
    for (size_t i = 0; i < group.items.size(); ++i) {
      const TracePlace place{process_, first + static_cast<int64_t>(lanes[i])};
      const TimeSpan& span = group.spans[i];
      switch (std::get<0>(key)) {
        case kSteps:
          WriteStep(place, span, group.items[i]);
          break;
        case kParts:
          WriteSlice(place, StepName(group.items[i]), "step", span, "");
          break;
        case kNodes:
        case kWaitingNodes:
          WriteNode(place, span, task_->events.nodes[group.items[i]]);
          break;
        default:
          WriteTransfer(place, span, task_->events.transfers[group.items[i]]);
      }
    }
  }

  static std::string StepName(size_t number) {
    return absl::StrCat("step ", number + 1);
  }

  void WriteSlice(const TracePlace& place, absl::string_view name,
                  absl::string_view category, const TimeSpan& span,
                  absl::string_view args) {
    out_.Slice(place, name, category, span.start - origin_,
               span.end - span.start, args);
  }

  void WriteStep(const TracePlace& place, const TimeSpan& span, size_t number) {
    const ClusterTrace::Step& step = trace_.steps[number];
    JsonObjectText args;
    args.Add("step id", absl::StrCat(step.step_id))
        .Add("session", step.session);
    if (!step.error.empty()) args.Add("error", step.error);
    if (step.running) args.Add("has not ended", step.waits_for);
    WriteSlice(place, StepName(number), "step", span, args.Text());
  }

  void WriteNode(const TracePlace& place, const TimeSpan& span,
                 const TracedNode& node) {
    ++totals_.nodes;
    const CollectTraceReply& events = task_->events;
    WriteSlice(place, Text(events, node.name), "node", span,
               JsonObjectText()
                   .Add("op", Text(events, node.op))
                   .Add("step", *StepNumber(node.step_id) + 1)
                   .Add("outputs", Text(events, node.outputs))
                   .Add("bytes", node.bytes)
                   .Text());
  }

  // The part of a receive after the sender had the tensor is known only once
  // both ends are: WriteArrows adds it.
  void WriteTransfer(const TracePlace& place, const TimeSpan& span,
                     const TracedTransfer& transfer) {
    const std::vector<std::string> key =
        absl::StrSplit(Text(task_->events, transfer.key), ';');
    const bool known = key.size() == 5;
    const std::string tensor = known ? key[3] : key[0];
    JsonObjectText args;
    if (known) args.Add("from", key[0]).Add("to", key[2]);
    args.Add("step", *StepNumber(transfer.step_id) + 1)
        .Add("bytes", transfer.bytes);
    WriteSlice(place,
               absl::StrCat(transfer.is_send ? "send " : "receive ", tensor,
                            transfer.is_dead ? " (dead)" : ""),
               "transfer", span, args.Text());
    Arrow& arrow = arrows_[{transfer.step_id, transfer.request_id}];
    arrow.tensor = tensor;
    arrow.bytes = transfer.bytes;
    (transfer.is_send ? arrow.send : arrow.receive) = Arrow::End{place, span};
  }

  void WriteArrows() {
    int64_t number = 0;
    for (const auto& [id, arrow] : arrows_) {
      ++totals_.transfers;
      totals_.bytes = SaturatingAdd(totals_.bytes, arrow.bytes);
      if (!arrow.send || !arrow.receive) continue;
      ++totals_.arrows;
      const TimeSpan& receive = arrow.receive->span;
      // The clocks may differ a little.
      const TimeSpan way{
          std::clamp(arrow.send->span.end, receive.start, receive.end),
          receive.end};
      const std::string args =
          JsonObjectText().Add("bytes", arrow.bytes).Text();
      WriteSlice(arrow.receive->place, absl::StrCat(arrow.tensor, " comes"),
                 "transfer", way, args);
      ++number;
      out_.ArrowBegin(number, arrow.send->place, "transfer", "transfer",
                      arrow.send->span.start - origin_, args);
      out_.ArrowEnd(number, arrow.receive->place, "transfer", "transfer",
                    way.start - origin_, args);
    }
  }

  std::string OtherData() const {
    JsonObjectText clocks, missing, dropped;
    for (const ClusterTrace::Task& task : trace_.tasks) {
      if (!task.missing.empty()) missing.Add(task.task, task.missing);
      if (task.events.dropped_events > 0) {
        dropped.Add(task.task, task.events.dropped_events);
      }
      if (task.clock.empty()) continue;
      clocks.AddJson(task.task,
                     JsonObjectText()
                         .AddJson("ahead_us", Micros(task.clock.offset_nanos()))
                         .AddJson("error_us", Micros(task.clock.error_nanos()))
                         .Text());
    }
    return JsonObjectText()
        .Add("written by", absl::StrCat("Millrace ", kVersion))
        .Add("steps", static_cast<int64_t>(trace_.steps.size()))
        .Add("steps done", trace_.steps_done())
        .AddJson("clocks", clocks.Text())
        .AddJson("missing tasks", missing.Text())
        .AddJson("dropped events", dropped.Text())
        .Text();
  }

  static std::string Micros(int64_t nanos) {
    return absl::StrFormat("%.3f", static_cast<double>(nanos) / 1000);
  }

  const ClusterTrace& trace_;
  TraceEventWriter out_;
  TraceTotals totals_;
  absl::flat_hash_map<int64_t, int64_t> step_numbers_;  // by step id, from 0
  int64_t origin_ = 0;
  int64_t next_track_ = 1;  // over all processes
  // By step and request.
  std::map<std::pair<int64_t, int64_t>, Arrow> arrows_;

  // The task that is being written.
  const ClusterTrace::Task* task_ = nullptr;
  int32_t process_ = 0;
  std::map<TrackKey, TrackGroup> groups_;
};

}  // namespace

StatusOr<TraceTotals> WriteTraceFile(const ClusterTrace& trace,
                                     FileSystem* files,
                                     const std::string& path) {
  const std::string part = path + ".part";
  MR_ASSIGN_OR_RETURN(const std::unique_ptr<WritableFile> file,
                      files->NewWritableFile(part));
  StatusOr<TraceTotals> totals = TraceFileWriter(trace, file.get()).Write();
  Status status = totals.status();
  UpdateStatus(status, file->Close());
  if (status.ok()) status = files->Rename(part, path);
  if (status.ok()) return totals;
  files->Delete(part).IgnoreError();
  return status;
}

}  // namespace millrace

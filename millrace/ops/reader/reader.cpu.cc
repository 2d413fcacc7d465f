#include "millrace/ops/reader/reader.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "millrace/base/coding.h"
#include "millrace/tensor/wire_format.h"

namespace millrace::ops {

struct Reader::Call {
  KernelContext& ctx;
  Ref<Queue> queue;
  size_t wanted;
  absl::AnyInvocable<Status(const RecordList&)> use;
  Done done;
  RecordList records;
};

StatusOr<Reader::Options> Reader::OptionsFrom(const KernelInit& init,
                                              WorkReaderOptions::Kind kind) {
  Options o;
  MR_ASSIGN_OR_RETURN(o.work, WorkReaderOptions::From(init, kind));
  o.title = absl::StrCat(ReaderName(kind), " '", init.node().name, "'");
  return o;
}

Reader::Reader(Options options, std::string name)
    : options_(std::move(options)),
      name_(std::move(name)),
      work_(MakeWorkReader(options_.work)) {}

std::string Reader::DebugString() const {
  MutexLock lock(mu_);
  return absl::StrCat(options_.title, ", ", records_, " records of ",
                      work_finished_, " work units",
                      work_started_ > work_finished_ ? ", one begun" : "");
}

int64_t Reader::records_produced() const {
  MutexLock lock(mu_);
  return records_;
}

int64_t Reader::units_completed() const {
  MutexLock lock(mu_);
  return work_finished_;
}

void Reader::Read(KernelContext& ctx, Ref<Queue> queue, int64_t n,
                  absl::AnyInvocable<Status(const RecordList&)> use,
                  Done done) {
  auto call =
      std::make_shared<Call>(Call{ctx,
                                  std::move(queue),
                                  static_cast<size_t>(std::max<int64_t>(n, 0)),
                                  std::move(use),
                                  std::move(done),
                                  {}});
  Start(
      ctx, absl::StrCat("read from reader ", name_), /*ordered=*/true,
      [this](Status*) { return !std::exchange(busy_, true); },
      Done([alive = Ref<Reader>::Share(this), call](Status status) {
        if (!status.ok()) return std::move(call->done)(std::move(status));
        alive->Post(call);
      }));
}

// The rest runs on the blocking pool, where files may be read.
void Reader::Post(std::shared_ptr<Call> call) {
  ThreadPool& pool = call->ctx.device().lanes().blocking;
  const Status queued = pool.TrySchedule(
      [alive = Ref<Reader>::Share(this), call] { alive->Advance(call); });
  if (!queued.ok()) End(call, queued);
}

void Reader::Advance(const std::shared_ptr<Call>& call) {
  StatusOr<bool> enough = ReadSome(*call);
  if (!enough.ok() || *enough) return End(call, enough.status());
  call->queue->Dequeue(
      QueueCaller::Of(call->ctx),
      [alive = Ref<Reader>::Share(this), call](StatusOr<QueueTuple> work) {
        alive->OnWork(call, std::move(work));
      });
}

// Reads from the current work unit. Returns false if the next one is needed.
StatusOr<bool> Reader::ReadSome(Call& call) {
  std::string key, value;
  for (;;) {
    if (call.records.size() >= call.wanted) return true;
    {
      MutexLock lock(mu_);
      if (work_started_ == work_finished_) return false;
    }
    WorkReader::Outcome outcome;
    const size_t before = call.records.size();
    Status status;
    while (status.ok() && !outcome.at_end &&
           call.records.size() < call.wanted) {
      status = call.ctx.CheckCancelled();
      if (!status.ok()) break;
      StatusOr<WorkReader::Outcome> next = work_->Next(&key, &value);
      if (!next.ok()) {
        status = next.status();
        break;
      }
      outcome = *next;
      if (outcome.produced) status = call.records.Add(key, value);
    }
    MutexLock lock(mu_);
    records_ += static_cast<int64_t>(call.records.size() - before);
    MR_RETURN_IF_ERROR(status);
    if (!outcome.at_end) continue;
    work_finished_ = work_started_;
    work_->Close();
    if (!call.records.empty()) return true;
  }
}

void Reader::OnWork(const std::shared_ptr<Call>& call,
                    StatusOr<QueueTuple> work) {
  current_work_.clear();
  if (!work.ok()) return End(call, work.status());
  const QueueTuple& tuple = *work;
  if (tuple.size() != 1) {
    return End(call, InvalidArgument("Expected single component queue"));
  }
  if (tuple[0].dtype() != DataType::kString) {
    return End(call,
               InvalidArgument("Expected queue with single string component"));
  }
  if (tuple[0].num_elements() != 1) {
    return End(call, InvalidArgument(
                         "Expected to dequeue a one-element string tensor"));
  }
  current_work_ = tuple[0].flat<StringElement>()[0].str();
  // The file is opened on the blocking pool.
  ThreadPool& pool = call->ctx.device().lanes().blocking;
  const Status queued =
      pool.TrySchedule([alive = Ref<Reader>::Share(this), call] {
        Status opened =
            alive->work_->Open(call->ctx.step().files, alive->current_work_);
        if (!opened.ok()) return alive->End(call, std::move(opened));
        {
          MutexLock lock(alive->mu_);
          ++alive->work_started_;
        }
        alive->Advance(call);
      });
  if (!queued.ok()) End(call, queued);
}

void Reader::End(const std::shared_ptr<Call>& call, Status status) {
  {
    MutexLock lock(mu_);
    busy_ = false;
  }
  StateChanged();
  if (status.ok()) status = call->use(call->records);
  std::move(call->done)(std::move(status));
}

void Reader::RunExclusively(KernelContext& ctx, absl::AnyInvocable<Status()> f,
                            Done done) {
  Start(
      ctx, absl::StrCat("reader ", name_, " to be idle"), /*ordered=*/true,
      [this, f = std::move(f)](Status* status) mutable {
        if (busy_) return false;
        *status = f();
        return true;
      },
      Done([alive = Ref<Reader>::Share(this), done = std::move(done)](
               Status status) mutable { std::move(done)(std::move(status)); }));
}

// Writes the message ReaderBaseState: work_started = 1, work_finished = 2,
// num_records_produced = 3, current_work = 4.
void Reader::SerializeState(KernelContext& ctx,
                            absl::AnyInvocable<void(std::string)> use,
                            Done done) {
  RunExclusively(
      ctx,
      [this, use = std::move(use)]() mutable -> Status {
        if (!work_->has_simple_state()) {
          return Unimplemented("Reader SerializeState");
        }
        std::string state;
        const int64_t numbers[] = {work_started_, work_finished_, records_};
        for (uint32_t i = 0; i < 3; ++i) {
          if (numbers[i] == 0) continue;
          PutVarint32(&state, (i + 1) << 3);
          PutVarint64(&state, static_cast<uint64_t>(numbers[i]));
        }
        if (!current_work_.empty()) {
          PutVarint32(&state, 4 << 3 | 2);
          PutVarint64(&state, current_work_.size());
          state += current_work_;
        }
        use(std::move(state));
        return OkStatus();
      },
      std::move(done));
}

Status Reader::Restore(absl::string_view state) {
  if (!work_->has_simple_state()) return Unimplemented("Reader RestoreState");
  int64_t numbers[3] = {0, 0, 0};
  std::string work;
  bool good = true;
  for (ChunkReader in(state); good && !in.done();) {
    FieldTag tag;
    good = in.ReadTag(&tag);
    if (!good) break;
    if (tag.number >= 1 && tag.number <= 3 && tag.type == WireType::kVarint) {
      good = in.ReadInt(&numbers[tag.number - 1]);
    } else if (tag.Is(4, WireType::kBytes)) {
      good = in.ReadString(&work);
    } else {
      good = in.SkipField(tag);
    }
  }
  if (!good) {
    return InvalidArgument("Could not parse state for ", options_.title, ": ",
                           absl::CEscape(state));
  }
  if (numbers[0] < 0 || numbers[1] < 0 || numbers[2] < 0) {
    return InvalidArgument("Unexpected negative value when restoring in ",
                           options_.title, ": work_started: ", numbers[0],
                           " work_finished: ", numbers[1],
                           " num_records_produced: ", numbers[2]);
  }
  if (numbers[0] != numbers[1]) {
    return InvalidArgument(
        "Inconsistent work started vs. finished when restoring in ",
        options_.title, ": work_started: ", numbers[0],
        " work_finished: ", numbers[1], " num_records_produced: ", numbers[2]);
  }
  work_started_ = numbers[0];
  work_finished_ = numbers[1];
  records_ = numbers[2];
  current_work_ = std::move(work);
  return OkStatus();
}

void Reader::RestoreState(KernelContext& ctx, std::string state, Done done) {
  RunExclusively(
      ctx,
      [this, state = std::move(state)] {
        Status status = Restore(state);
        if (!status.ok()) Clear();  // as in stock
        return status;
      },
      std::move(done));
}

void Reader::Clear() {
  work_started_ = work_finished_ = records_ = 0;
  current_work_.clear();
  work_->Close();
}

void Reader::Reset(KernelContext& ctx, Done done) {
  RunExclusively(
      ctx,
      [this] {
        Clear();
        return OkStatus();
      },
      std::move(done));
}

}  // namespace millrace::ops

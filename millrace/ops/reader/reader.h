// Reader: the resource that reads records from the files that a queue names.
#pragma once

#include <memory>
#include <string>

#include "millrace/ops/queue/queue.h"
#include "millrace/ops/queue/waiters.h"
#include "millrace/ops/reader/record_list.h"
#include "millrace/ops/reader/work_reader.h"

namespace millrace::ops {

// Thread-safe. Reads are served in the order of their arrival; one that waits
// for the queue costs no thread.
class Reader final : public WaitingResource {
 public:
  static constexpr absl::string_view kTypeName =
      "N10tensorflow15ReaderInterfaceE";

  struct Options {
    WorkReaderOptions work;
    std::string title;  // such as "TextLineReader 'NODE'"
  };

  static StatusOr<Options> OptionsFrom(const KernelInit& init,
                                       WorkReaderOptions::Kind kind);
  Reader(Options options, std::string name);

  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override;
  // A node that shares the reader takes it as it is, as in stock.
  Status CheckOptions(const Options&) const { return OkStatus(); }

  // Reads up to `n` records of one work unit, at least one for n > 0, and takes
  // names from `queue` as needed. Passes errors of the queue and of files to
  // `done`.
  void Read(KernelContext& ctx, Ref<Queue> queue, int64_t n,
            absl::AnyInvocable<Status(const RecordList&)> use, Done done);

  int64_t records_produced() const;
  int64_t units_completed() const;
  // These wait until no read is in progress. For readers that may be in the
  // middle of a file, the first two pass UNIMPLEMENTED, such as "Reader
  // SerializeState", to `done`.
  void SerializeState(KernelContext& ctx,
                      absl::AnyInvocable<void(std::string)> use, Done done);
  void RestoreState(KernelContext& ctx, std::string state, Done done);
  void Reset(KernelContext& ctx, Done done);

 private:
  struct Call;
  // Calls `f`, which returns Status, under mu_ once no read is in progress.
  void RunExclusively(KernelContext& ctx, absl::AnyInvocable<Status()> f,
                      Done done);
  void Post(std::shared_ptr<Call> call);
  void Advance(const std::shared_ptr<Call>& call);
  StatusOr<bool> ReadSome(Call& call);
  void OnWork(const std::shared_ptr<Call>& call, StatusOr<QueueTuple> work);
  void End(const std::shared_ptr<Call>& call, Status status);
  Status Restore(absl::string_view state);
  void Clear();

  const Options options_;
  const std::string name_;
  // Guarded by mu_.
  bool busy_ = false;
  int64_t work_started_ = 0, work_finished_ = 0, records_ = 0;
  // The work unit of the read in progress.
  std::unique_ptr<WorkReader> work_;
  std::string current_work_;  // or the last one, which the state includes
};

}  // namespace millrace::ops

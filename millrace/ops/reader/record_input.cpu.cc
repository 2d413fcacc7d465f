#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "millrace/base/threads/thread.h"
#include "millrace/base/threads/wait.h"
#include "millrace/checkpoint/records/byte_stream.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/io/blocking.h"
#include "millrace/ops/reader/shuffled_records.h"

namespace millrace::ops {
namespace {

// While another step reads, how often a step looks whether it is over.
constexpr int kCheckMillis = 50;

// Reads on the blocking pool, in the step that wants the records; so
// file_parallelism changes nothing.
class RecordInputKernel {
 public:
  static StatusOr<std::unique_ptr<RecordInputKernel>> Make(
      const KernelInit& init) {
    ShuffledRecordsOptions o;
    MR_ASSIGN_OR_RETURN(o.patterns, init.Attr<std::string>("file_pattern"));
    MR_ASSIGN_OR_RETURN(const int64_t seed,
                        init.Attr<int64_t>("file_random_seed"));
    o.seed = static_cast<uint64_t>(seed);
    MR_ASSIGN_OR_RETURN(o.shift_ratio,
                        init.Attr<float>("file_shuffle_shift_ratio"));
    MR_ASSIGN_OR_RETURN(const int64_t buffered,
                        init.Attr<int64_t>("file_buffer_size"));
    o.buffered = static_cast<size_t>(std::max<int64_t>(buffered, 1));
    MR_ASSIGN_OR_RETURN(const std::string compression,
                        init.Attr<std::string>("compression_type"));
    MR_ASSIGN_OR_RETURN(o.compression, ParseFileCompression(compression));
    MR_ASSIGN_OR_RETURN(const int64_t batch, init.Attr<int64_t>("batch_size"));
    if (batch < 0) {
      return InvalidArgument("batch_size must be non-negative but got ", batch);
    }
    return std::unique_ptr<RecordInputKernel>(
        new RecordInputKernel(std::move(o), batch));
  }

  void RunAsync(KernelContext& ctx, Done done) const {
    RunBlocking(ctx, std::move(done), [this, &ctx]() -> Status {
      MR_ASSIGN_OR_RETURN(Tensor* const out,
                          ctx.AllocateOutput(0, TensorShape({batch_})));
      MR_RETURN_IF_ERROR(AwaitTurn(ctx));
      const TurnEnd end{*this};
      std::string record;
      for (StringElement& element : out->mutable_flat<StringElement>()) {
        MR_RETURN_IF_ERROR(records_.Take(ctx, &record));
        element.Assign(record);
      }
      return OkStatus();
    });
  }

 private:
  // Reading may take long, so it is not done under a lock, for which other
  // steps would wait even if they are cancelled.
  Status AwaitTurn(KernelContext& ctx) const {
    MutexLock lock(mu_);
    std::optional<WaitScope> wait;
    while (in_use_) {
      if (!wait.has_value()) {
        wait.emplace(absl::StrCat("records that another step reads, node ",
                                  ctx.node().name, ", step ",
                                  ctx.step().step_id));
      }
      MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      turn_.WaitUntil(mu_, Deadline::AfterMillis(kCheckMillis));
    }
    in_use_ = true;
    return OkStatus();
  }
  struct TurnEnd {
    ~TurnEnd() {
      {
        MutexLock lock(kernel.mu_);
        kernel.in_use_ = false;
      }
      kernel.turn_.NotifyOne();
    }
    const RecordInputKernel& kernel;
  };

  RecordInputKernel(ShuffledRecordsOptions options, int64_t batch)
      : batch_(batch), records_(std::move(options)) {}

  const int64_t batch_;
  mutable Mutex mu_;
  mutable CondVar turn_;
  mutable bool in_use_ = false;      // guarded by mu_
  mutable ShuffledRecords records_;  // used by whose turn it is
};

}  // namespace

MR_KERNELS(RecordInput, Cpu){{.make = MakeKernel<RecordInputKernel>}};

}  // namespace millrace::ops

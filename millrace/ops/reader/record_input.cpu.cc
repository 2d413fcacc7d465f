#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "millrace/base/threads/thread.h"
#include "millrace/checkpoint/records/byte_stream.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/io/blocking.h"
#include "millrace/ops/reader/shuffled_records.h"

namespace millrace::ops {
namespace {

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
      std::string record;
      MutexLock lock(mu_);
      for (StringElement& element : out->mutable_flat<StringElement>()) {
        MR_RETURN_IF_ERROR(records_.Take(ctx, &record));
        element.Assign(record);
      }
      return OkStatus();
    });
  }

 private:
  RecordInputKernel(ShuffledRecordsOptions options, int64_t batch)
      : batch_(batch), records_(std::move(options)) {}

  const int64_t batch_;
  mutable Mutex mu_;
  mutable ShuffledRecords records_;  // guarded by mu_
};

}  // namespace

MR_KERNELS(RecordInput, Cpu){{.make = MakeKernel<RecordInputKernel>}};

}  // namespace millrace::ops

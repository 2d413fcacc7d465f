#include "millrace/kernel/handle_kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/resource_handle.h"
#include "millrace/ops/reader/reader.h"
#include "millrace/tensor/string_block.h"

namespace millrace::ops {
namespace {

class ReadKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    const StatusOr<Ref<Reader>> reader = LookupInput<Reader>(ctx, 0);
    if (!reader.ok()) return std::move(done)(reader.status());
    const StatusOr<Ref<Queue>> queue = LookupInput<Queue>(ctx, 1);
    if (!queue.ok()) return std::move(done)(queue.status());
    (*reader)->Read(
        ctx, *queue, 1,
        [&ctx](const RecordList& records) {
          ctx.set_output(
              0, Tensor::Scalar<std::string>(std::string(records.key(0))));
          ctx.set_output(
              1, Tensor::Scalar<std::string>(std::string(records.value(0))));
          return OkStatus();
        },
        std::move(done));
  }
};

// Returns the keys or the values as a vector.
StatusOr<Tensor> Strings(KernelContext& ctx, const RecordList& records,
                         absl::string_view (RecordList::*part)(size_t) const) {
  const size_t n = records.size();
  size_t bytes = 0;
  for (size_t i = 0; i < n; ++i) {
    bytes += StringBlock::BytesOf((records.*part)(i).size());
  }
  const auto count = static_cast<int64_t>(n);
  MR_ASSIGN_OR_RETURN(StringBlock block,
                      StringBlock::Allocate(ctx.allocator(), count, bytes));
  for (size_t i = 0; i < n; ++i) {
    block.Fill(static_cast<int64_t>(i), (records.*part)(i));
  }
  return std::move(block).Finish(TensorShape({count}));
}

Status SetRecords(KernelContext& ctx, const RecordList& records) {
  MR_ASSIGN_OR_RETURN(Tensor keys, Strings(ctx, records, &RecordList::key));
  MR_ASSIGN_OR_RETURN(Tensor values, Strings(ctx, records, &RecordList::value));
  ctx.set_output(0, std::move(keys));
  ctx.set_output(1, std::move(values));
  return OkStatus();
}

class ReadUpToKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    const StatusOr<Ref<Reader>> reader = LookupInput<Reader>(ctx, 0);
    if (!reader.ok()) return std::move(done)(reader.status());
    const StatusOr<Ref<Queue>> queue = LookupInput<Queue>(ctx, 1);
    if (!queue.ok()) return std::move(done)(queue.status());
    // As in stock, a tensor of one element is taken for a scalar.
    const Tensor& count = ctx.input(2);
    if (count.num_elements() != 1) {
      return std::move(done)(CheckScalar(count, "num_records"));
    }
    (*reader)->Read(
        ctx, *queue, count.flat<int64_t>()[0],
        [&ctx](const RecordList& records) { return SetRecords(ctx, records); },
        std::move(done));
  }
};

template <int64_t (Reader::*kCount)() const>
Status RunCount(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<Reader> reader, LookupInput<Reader>(ctx, 0));
  ctx.set_output(0, Tensor::Scalar<int64_t>(((*reader).*kCount)()));
  return OkStatus();
}

class SerializeKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    const StatusOr<Ref<Reader>> reader = LookupInput<Reader>(ctx, 0);
    if (!reader.ok()) return std::move(done)(reader.status());
    (*reader)->SerializeState(
        ctx,
        [&ctx](const std::string& state) {
          ctx.set_output(0, Tensor::Scalar<std::string>(state));
        },
        std::move(done));
  }
};

class RestoreKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    const StatusOr<Ref<Reader>> reader = LookupInput<Reader>(ctx, 0);
    if (!reader.ok()) return std::move(done)(reader.status());
    if (ctx.input(1).rank() != 0) {
      return std::move(done)(
          InvalidArgument("Reader state must be scalar, but had shape: ",
                          ctx.input(1).shape().DebugString()));
    }
    (*reader)->RestoreState(ctx, ctx.input(1).scalar<StringElement>().str(),
                            std::move(done));
  }
};

class ResetKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    const StatusOr<Ref<Reader>> reader = LookupInput<Reader>(ctx, 0);
    if (!reader.ok()) return std::move(done)(reader.status());
    (*reader)->Reset(ctx, std::move(done));
  }
};

using Kind = WorkReaderOptions::Kind;

// Both generations of an op share an entry.
template <Kind kKind>
constexpr KernelEntry kHandle = {
    .make = MakeKernel<HandleKernel<Reader, kKind>>,
    .host = "reader_handle",
    .cheap = true};
constexpr KernelEntry kRead = {
    .make = MakeKernel<ReadKernel>,
    .host = "reader_handle, queue_handle, key, value"};
constexpr KernelEntry kReadUpTo = {
    .make = MakeKernel<ReadUpToKernel>,
    .host = "reader_handle, queue_handle, num_records, keys, values"};
constexpr KernelEntry kRecordsProduced = {
    .make = MakeFunctionKernel<RunCount<&Reader::records_produced>>,
    .host = "reader_handle, records_produced",
    .cheap = true};
constexpr KernelEntry kUnitsCompleted = {
    .make = MakeFunctionKernel<RunCount<&Reader::units_completed>>,
    .host = "reader_handle, units_completed",
    .cheap = true};
constexpr KernelEntry kSerialize = {.make = MakeKernel<SerializeKernel>,
                                    .host = "reader_handle, state"};
constexpr KernelEntry kRestore = {.make = MakeKernel<RestoreKernel>,
                                  .host = "reader_handle, state"};
constexpr KernelEntry kReset = {.make = MakeKernel<ResetKernel>,
                                .host = "reader_handle"};

}  // namespace

MR_KERNELS(TextLineReader, Cpu){kHandle<Kind::kTextLine>};
MR_KERNELS(TextLineReaderV2, Cpu){kHandle<Kind::kTextLine>};
MR_KERNELS(FixedLengthRecordReader, Cpu){kHandle<Kind::kFixedLength>};
MR_KERNELS(FixedLengthRecordReaderV2, Cpu){kHandle<Kind::kFixedLength>};
MR_KERNELS(TFRecordReader, Cpu){kHandle<Kind::kRecord>};
MR_KERNELS(TFRecordReaderV2, Cpu){kHandle<Kind::kRecord>};
MR_KERNELS(LMDBReader, Cpu){kHandle<Kind::kLmdb>};
MR_KERNELS(WholeFileReader, Cpu){kHandle<Kind::kWholeFile>};
MR_KERNELS(WholeFileReaderV2, Cpu){kHandle<Kind::kWholeFile>};
MR_KERNELS(IdentityReader, Cpu){kHandle<Kind::kIdentity>};
MR_KERNELS(IdentityReaderV2, Cpu){kHandle<Kind::kIdentity>};
MR_KERNELS(ReaderRead, Cpu){kRead};
MR_KERNELS(ReaderReadV2, Cpu){kRead};
MR_KERNELS(ReaderReadUpTo, Cpu){kReadUpTo};
MR_KERNELS(ReaderReadUpToV2, Cpu){kReadUpTo};
MR_KERNELS(ReaderNumRecordsProduced, Cpu){kRecordsProduced};
MR_KERNELS(ReaderNumRecordsProducedV2, Cpu){kRecordsProduced};
MR_KERNELS(ReaderNumWorkUnitsCompleted, Cpu){kUnitsCompleted};
MR_KERNELS(ReaderNumWorkUnitsCompletedV2, Cpu){kUnitsCompleted};
MR_KERNELS(ReaderSerializeState, Cpu){kSerialize};
MR_KERNELS(ReaderSerializeStateV2, Cpu){kSerialize};
MR_KERNELS(ReaderRestoreState, Cpu){kRestore};
MR_KERNELS(ReaderRestoreStateV2, Cpu){kRestore};
MR_KERNELS(ReaderReset, Cpu){kReset};
MR_KERNELS(ReaderResetV2, Cpu){kReset};

}  // namespace millrace::ops

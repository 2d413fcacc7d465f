#include <string>
#include <utility>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/summary_writer/db_sink.h"
#include "millrace/ops/summary_writer/file_sink.h"
#include "millrace/ops/summary_writer/writer_input.h"

namespace millrace::ops {
namespace {

// Gives a handle to a writer that may not exist. As in stock, all handles
// without a shared name are to the same one.
class SummaryWriterKernel {
 public:
  static StatusOr<SummaryWriterKernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(const ResourcePlace place, PlaceOf(init));
    SummaryWriterKernel k;
    k.output_ = HandleOutput(init, place, SummaryWriterResource::kTypeName);
    return k;
  }
  Status Run(KernelContext& ctx) const {
    output_.Set(ctx);
    return OkStatus();
  }

 private:
  HandleOutput output_;
};

// Opens the writer of input 0, and removes it if that fails.
Status OpenWriter(KernelContext& ctx, SummaryWriterResource::Opener open) {
  MR_ASSIGN_OR_RETURN(const ResourcePlace place,
                      PlaceFromInput(ctx, 0, SummaryWriterResource::kTypeName));
  MR_ASSIGN_OR_RETURN(const Ref<SummaryWriterResource> writer,
                      ctx.resources().LookupOrCreate<SummaryWriterResource>(
                          place.container, place.name,
                          []() -> StatusOr<Ref<SummaryWriterResource>> {
                            return MakeRef<SummaryWriterResource>();
                          }));
  Status status = writer->Open(open);
  if (!status.ok()) {
    (void)ctx.resources().Delete(place.container, place.name,
                                 SummaryWriterResource::kTypeName);
  }
  return status;
}

class CreateFileWriterKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    RunBlocking(ctx, std::move(done), [&ctx]() -> Status {
      constexpr const char* kNames[] = {"logdir", "max_queue", "flush_millis",
                                        "filename_suffix"};
      for (int i = 0; i < 4; ++i) {
        if (ctx.input(i + 1).rank() == 0) continue;
        return InvalidArgument(kNames[i], " must be a scalar");
      }
      FileSinkOptions options;
      MR_ASSIGN_OR_RETURN(options.folder, OneText(ctx, 1, "logdir"));
      MR_ASSIGN_OR_RETURN(options.most_waiting,
                          OneValue<int32_t>(ctx, 2, "max_queue"));
      MR_ASSIGN_OR_RETURN(options.flush_millis,
                          OneValue<int32_t>(ctx, 3, "flush_millis"));
      MR_ASSIGN_OR_RETURN(options.suffix, OneText(ctx, 4, "filename_suffix"));
      return OpenWriter(
          ctx, [&]() { return OpenFileSink(ctx.step().files, options); });
    });
  }
};

class CreateDbWriterKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    RunBlocking(ctx, std::move(done), [&ctx]() -> Status {
      DbSinkOptions options;
      MR_ASSIGN_OR_RETURN(options.path, OneText(ctx, 1, "db_uri"));
      MR_ASSIGN_OR_RETURN(options.experiment,
                          OneText(ctx, 2, "experiment_name"));
      MR_ASSIGN_OR_RETURN(options.run, OneText(ctx, 3, "run_name"));
      MR_ASSIGN_OR_RETURN(options.user, OneText(ctx, 4, "user_name"));
      return OpenWriter(
          ctx, [&]() { return OpenDbSink(ctx.step().files, options); });
    });
  }
};

class FlushWriterKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    UseWriter(ctx, std::move(done), [](SummaryWriterResource& writer) {
      return writer.Use([](SummarySink& sink) { return sink.Flush(); });
    });
  }
};

class CloseWriterKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    UseWriter(
        ctx, std::move(done), [&ctx](SummaryWriterResource& writer) -> Status {
          MR_ASSIGN_OR_RETURN(
              const ResourcePlace place,
              PlaceFromInput(ctx, 0, SummaryWriterResource::kTypeName));
          MR_RETURN_IF_ERROR(ctx.resources().Delete(
              place.container, place.name, SummaryWriterResource::kTypeName));
          return writer.Close();
        });
  }
};

}  // namespace

MR_KERNELS(SummaryWriter,
           Cpu){{.make = MakeKernel<SummaryWriterKernel>, .cheap = true}};
MR_KERNELS(CreateSummaryFileWriter,
           Cpu){{.make = MakeKernel<CreateFileWriterKernel>}};
MR_KERNELS(CreateSummaryDbWriter,
           Cpu){{.make = MakeKernel<CreateDbWriterKernel>}};
MR_KERNELS(FlushSummaryWriter, Cpu){{.make = MakeKernel<FlushWriterKernel>}};
MR_KERNELS(CloseSummaryWriter, Cpu){{.make = MakeKernel<CloseWriterKernel>}};

}  // namespace millrace::ops

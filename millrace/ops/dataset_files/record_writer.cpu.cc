// DatasetToTFRecord: writes a whole data set in one step, on the blocking pool,
// many records at a time.
#include "millrace/checkpoint/records/record_writer.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/data/blocking_call.h"
#include "millrace/ops/data/iterator_run.h"

namespace millrace::ops {
namespace {

constexpr size_t kRecordsPerWrite = 1024;
constexpr size_t kBytesPerWrite = size_t{1} << 20;

// A file that is being written. For one thread at a time.
class RecordTarget {
 public:
  RecordTarget(std::string path, FileCompression compression)
      : path_(std::move(path)), compression_(compression) {}
  // Creates the file at first, and ends it if these are the last records.
  Status Write(FileSystem* files, const std::vector<Tensor>& records,
               bool last) {
    if (file_ == nullptr) {
      MR_ASSIGN_OR_RETURN(file_, files->NewWritableFile(path_));
      writer_ = std::make_unique<RecordWriter>(
          file_.get(), RecordWriterOptions{.compression = compression_});
    }
    for (const Tensor& record : records) {
      MR_RETURN_IF_ERROR(writer_->Write(record.scalar<StringElement>().view()));
    }
    if (!last) return OkStatus();
    MR_RETURN_IF_ERROR(writer_->Close());
    return file_->Close();
  }

 private:
  const std::string path_;
  const FileCompression compression_;
  std::unique_ptr<WritableFile> file_;
  std::unique_ptr<RecordWriter> writer_;
};

// Returns one element, which is empty, when everything is written.
class RecordWritingIterator final : public DatasetIterator {
 public:
  RecordWritingIterator(std::unique_ptr<DatasetIterator> input,
                        std::shared_ptr<RecordTarget> target)
      : input_(std::move(input)), target_(std::move(target)) {}
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    for (;;) {
      if (writing_.in_progress()) {
        MR_ASSIGN_OR_RETURN(const Pull done, writing_.Finish());
        if (done == Pull::kPending) return done;
        if (ended_) {
          // As in stock, the records before an error are in the file.
          MR_RETURN_IF_ERROR(error_);
          out->clear();
          return Pull::kElement;
        }
      }
      MR_ASSIGN_OR_RETURN(const Pull gathered, Gather(ctx));
      if (gathered != Pull::kElement) return gathered;
      bytes_ = 0;
      // The runtime lives until the call is over.
      MR_RETURN_IF_ERROR(writing_.Start(
          ctx, [target = target_, files = ctx.runtime().files(),
                records = std::exchange(records_, {}), last = ended_] {
            return target->Write(files, records, last);
          }));
    }
  }

 private:
  // Gathers the records of a write. kElement: that is done.
  StatusOr<Pull> Gather(PollContext& ctx) {
    while (!ended_ && records_.size() < kRecordsPerWrite &&
           bytes_ < kBytesPerWrite) {
      Element element;
      const StatusOr<Pull> pull = ctx.Next(*input_, &element);
      if (pull.ok() && *pull == Pull::kPending) return pull;
      if (pull.ok() && *pull == Pull::kElement) {
        error_ = TakeRecord(std::move(element));
        ended_ = !error_.ok();
      } else {
        error_ = pull.status();
        ended_ = true;
      }
    }
    return Pull::kElement;
  }

  Status TakeRecord(Element element) {
    if (element.size() != 1 || element[0].dtype() != DataType::kString ||
        element[0].num_elements() != 1) {
      return InvalidArgument("an element to write is not one string");
    }
    bytes_ += element[0].flat<StringElement>()[0].size();
    records_.push_back(std::move(element[0]));
    return OkStatus();
  }

  const std::unique_ptr<DatasetIterator> input_;
  const std::shared_ptr<RecordTarget> target_;
  BlockingCall writing_;
  std::vector<Tensor> records_;
  size_t bytes_ = 0;  // of records_
  bool ended_ = false;
  Status error_;
};

class ToRecordsKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    Status status = Start(ctx, done);
    if (!status.ok()) std::move(done)(std::move(status));
  }

 private:
  static Status Start(KernelContext& ctx, Done& done) {
    MR_ASSIGN_OR_RETURN(std::string path, StringInput(ctx, 1, "filename"));
    MR_ASSIGN_OR_RETURN(const std::string compression,
                        StringInput(ctx, 2, "compression_type"));
    // As in stock, an unknown one counts as none.
    const StatusOr<FileCompression> parsed = ParseFileCompression(compression);
    MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
    const std::vector<DataType>& types = input->signature().types;
    if (types.size() != 1) {
      return InvalidArgument(
          "ToTFRecordOp currently only support datasets of 1 single column, "
          "but got ",
          types.size());
    }
    if (types[0] != DataType::kString) {
      return InvalidArgument(
          "ToTFRecordOp currently only supports DT_STRING dataypes, but got ",
          DataTypeName(types[0]));
    }
    std::shared_ptr<IteratorRuntime> runtime = IteratorRuntime::Make(ctx);
    MR_ASSIGN_OR_RETURN(auto below, runtime->MakeIterator(*input));
    auto writing = std::make_unique<RecordWritingIterator>(
        std::move(below),
        std::make_shared<RecordTarget>(
            std::move(path), parsed.ok() ? *parsed : FileCompression::kNone));
    const std::shared_ptr<IteratorRun> run =
        IteratorRun::Make(std::move(runtime), input, std::move(writing));
    run->GetNext(ctx, "records of a data set",
                 [run, done = std::move(done)](
                     StatusOr<std::optional<Element>> next) mutable {
                   run->Retire();
                   std::move(done)(next.status());
                 });
    return OkStatus();
  }
};

}  // namespace

MR_KERNELS(DatasetToTFRecord, Cpu){{.make = MakeKernel<ToRecordsKernel>}};
MR_KERNELS(ExperimentalDatasetToTFRecord,
           Cpu){{.make = MakeKernel<ToRecordsKernel>}};

}  // namespace millrace::ops

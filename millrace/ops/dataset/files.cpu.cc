// Kernels of data sets of records in files. Files are read on the blocking
// pool, many records at a time.
#include "absl/strings/str_cat.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/data/dataset.h"
#include "millrace/ops/data/iterator_runtime.h"
#include "millrace/ops/dataset/record_file.h"

namespace millrace::ops {
namespace {

constexpr size_t kBytesPerRead = size_t{256} << 10;
constexpr size_t kRecordsPerRead = 512;

class FileDataset final : public DatasetValue {
 public:
  FileDataset(std::vector<std::string> names, std::vector<uint64_t> begins,
              RecordFileOptions options)
      : DatasetValue({{DataType::kString}, {PartialShape({})}}, 1),
        names_(std::move(names)),
        begins_(std::move(begins)),
        options_(options) {}
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      IteratorRuntime&) const override;
  DatasetRef ShardOfFiles(int64_t shards, int64_t index) const override {
    std::vector<std::string> names;
    std::vector<uint64_t> begins;
    const auto count = static_cast<int64_t>(names_.size());
    for (int64_t i = index; i < count; i += std::min(shards, count)) {
      names.push_back(names_[static_cast<size_t>(i)]);
      if (!begins_.empty()) begins.push_back(begins_[static_cast<size_t>(i)]);
    }
    auto made =
        MakeRef<FileDataset>(std::move(names), std::move(begins), options_);
    made->set_op(op());
    return made;
  }

 private:
  class Iterator;

  RecordFileOptions OptionsOf(size_t file) const {
    RecordFileOptions o = options_;
    if (!begins_.empty()) o.begin = begins_[file];
    return o;
  }

  const std::vector<std::string> names_;
  const std::vector<uint64_t> begins_;  // if empty, 0 for each
  const RecordFileOptions options_;
};

class FileDataset::Iterator final : public DatasetIterator {
 public:
  explicit Iterator(const FileDataset& d) : read_(std::make_shared<Read>()) {
    read_->dataset = Ref<const FileDataset>::Share(&d);
  }

  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    for (;;) {
      if (next_ < records_.size()) {
        out->assign(1, std::move(records_[next_++]));
        ++taken_;
        return Pull::kElement;
      }
      if (!error_.ok()) return std::exchange(error_, OkStatus());
      if (reading_) {
        MutexLock lock(read_->mu);
        if (!read_->over) return Pull::kPending;
        reading_ = false;
        records_ = std::exchange(read_->records, {});
        error_ = std::exchange(read_->status, OkStatus());
        next_ = 0;
        if (file_ != read_->source) taken_ = 0;
        file_ = read_->source;
        at_end_ = read_->at_end;
        continue;
      }
      if (at_end_) return Pull::kEnd;
      MR_RETURN_IF_ERROR(StartRead(ctx));
    }
  }

  // Saves the index of the file and how many of its records were returned.
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "file", static_cast<int64_t>(file_));
    out.Int(prefix + "records", taken_);
    out.Int(prefix + "ended", at_end_ && next_ == records_.size());
    return OkStatus();
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    const auto files = static_cast<int64_t>(read_->dataset->names_.size());
    MR_ASSIGN_OR_RETURN(const int64_t file, in.Count(prefix + "file", files));
    MR_ASSIGN_OR_RETURN(taken_, in.Count(prefix + "records"));
    MR_ASSIGN_OR_RETURN(at_end_, in.Flag(prefix + "ended"));
    file_ = static_cast<size_t>(file);
    read_->file = file_;
    read_->pass_over = taken_;
    return OkStatus();
  }

 private:
  // The state of a read on the blocking pool, which reads from one file only.
  struct Read {
    Ref<const FileDataset> dataset;
    std::shared_ptr<IteratorRuntime> runtime;  // while it is being read
    std::weak_ptr<PollTask> task;
    // These three belong to the thread that reads.
    std::unique_ptr<RecordFile> open;
    size_t file = 0;
    int64_t pass_over = 0;

    Mutex mu;  // guards all below
    bool over = false, at_end = false;
    size_t source = 0;  // index of the file of the records
    std::vector<Tensor> records;
    Status status;
  };

  Status StartRead(PollContext& ctx) {
    read_->runtime = ctx.runtime().shared_from_this();
    read_->task = ctx.task();
    read_->over = false;
    reading_ = true;
    Status queued = ctx.runtime().lanes().blocking.TrySchedule(
        [read = read_] { Run(*read); });
    if (!queued.ok()) {
      reading_ = false;
      read_->runtime = nullptr;
    }
    return queued;
  }

  static void Run(Read& read) {
    std::vector<Tensor> records;
    size_t source = read.file;
    bool at_end = false;
    const Status status = ReadSome(read, &records, &source, &at_end);
    // The runtime may end with this, and with it the data that the thread
    // reads.
    const std::shared_ptr<IteratorRuntime> runtime = std::move(read.runtime);
    if (read.open != nullptr && runtime->scope()->cancelled()) {
      read.open = nullptr;
    }
    const std::shared_ptr<PollTask> task = read.task.lock();
    {
      MutexLock lock(read.mu);
      read.over = true;
      read.at_end = at_end;
      read.source = source;
      read.records = std::move(records);
      read.status = status;
    }
    if (task != nullptr) task->Wake();
  }

  static Status ReadSome(Read& read, std::vector<Tensor>* records,
                         size_t* source, bool* at_end) {
    const FileDataset& d = *read.dataset;
    while (records->empty()) {
      if (read.file >= d.names_.size()) {
        *at_end = true;
        return OkStatus();
      }
      if (read.open == nullptr) {
        std::unique_ptr<RecordFile> open =
            MakeRecordFile(d.OptionsOf(read.file));
        // As in stock, the next attempt opens the same file again.
        MR_RETURN_IF_ERROR(
            open->Open(read.runtime->files(), d.names_[read.file]));
        read.open = std::move(open);
      }
      *source = read.file;
      size_t bytes = 0;
      std::string record;
      while (bytes < kBytesPerRead && records->size() < kRecordsPerRead) {
        const StatusOr<bool> got = read.open->Next(&record);
        if (!got.ok() || !*got) {
          // Nothing can be found behind a damaged record.
          read.open = nullptr;
          read.pass_over = 0;
          const std::string& name = d.names_[read.file++];
          if (!got.ok()) {
            return Annotate(got.status(), absl::StrCat("; in file ", name));
          }
          break;
        }
        if (read.pass_over > 0) {
          --read.pass_over;
          if (read.runtime->scope()->cancelled()) {
            return read.runtime->scope()->status();
          }
          continue;
        }
        bytes += record.size();
        MR_ASSIGN_OR_RETURN(Tensor t,
                            Tensor::Allocate(read.runtime->allocator(),
                                             DataType::kString, TensorShape()));
        t.mutable_flat<StringElement>()[0].Assign(record);
        records->push_back(std::move(t));
      }
      if (read.runtime->scope()->cancelled()) {
        return read.runtime->scope()->status();
      }
    }
    return OkStatus();
  }

  const std::shared_ptr<Read> read_;
  bool reading_ = false, at_end_ = false;
  std::vector<Tensor> records_;
  size_t next_ = 0;
  Status error_;
  size_t file_ = 0;    // index of the file of records_
  int64_t taken_ = 0;  // number of records taken from that file
};

StatusOr<std::unique_ptr<DatasetIterator>> FileDataset::MakeIterator(
    IteratorRuntime&) const {
  return std::unique_ptr<DatasetIterator>(new Iterator(*this));
}

StatusOr<std::vector<std::string>> FileNames(KernelContext& ctx) {
  const Tensor& t = ctx.input(0);
  if (t.rank() > 1) {
    return InvalidArgument("`filenames` must be a scalar or a vector.");
  }
  std::vector<std::string> names;
  for (const StringElement& name : t.flat<StringElement>()) {
    names.push_back(name.str());
  }
  return names;
}

StatusOr<FileCompression> Compression(KernelContext& ctx, int i) {
  MR_ASSIGN_OR_RETURN(const std::string name,
                      StringInput(ctx, i, "compression_type"));
  const StatusOr<FileCompression> parsed = ParseFileCompression(name);
  if (!parsed.ok()) return InvalidArgument("Unsupported compression_type.");
  return parsed;
}

StatusOr<int64_t> AtLeast(KernelContext& ctx, int i, absl::string_view name,
                          int64_t least, absl::string_view words) {
  MR_ASSIGN_OR_RETURN(const int64_t value, ScalarInput<int64_t>(ctx, i, name));
  if (value < least) return InvalidArgument("`", name, "` must be ", words);
  return value;
}

StatusOr<Ref<DatasetValue>> BuildLines(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(std::vector<std::string> names, FileNames(ctx));
  RecordFileOptions o{.kind = RecordFileOptions::Kind::kLines};
  MR_ASSIGN_OR_RETURN(o.compression, Compression(ctx, 1));
  MR_RETURN_IF_ERROR(
      AtLeast(ctx, 2, "buffer_size", 0, ">= 0 (0 == default)").status());
  return Ref<DatasetValue>(
      MakeRef<FileDataset>(std::move(names), std::vector<uint64_t>(), o));
}

StatusOr<Ref<DatasetValue>> BuildRecords(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(std::vector<std::string> names, FileNames(ctx));
  RecordFileOptions o{.kind = RecordFileOptions::Kind::kRecords};
  MR_ASSIGN_OR_RETURN(o.compression, Compression(ctx, 1));
  // -1: the server chooses.
  MR_RETURN_IF_ERROR(
      AtLeast(ctx, 2, "buffer_size", -1, ">= 0 (0 == no buffering)").status());
  std::vector<uint64_t> begins;
  if (ctx.num_inputs() > 3) {
    for (const int64_t offset : ctx.input(3).flat<int64_t>()) {
      if (offset < 0) {
        return InvalidArgument("`byte_offsets` must be >= 0, but one is ",
                               offset);
      }
      begins.push_back(static_cast<uint64_t>(offset));
    }
    const bool same_rank = ctx.input(3).rank() == ctx.input(0).rank();
    if (!same_rank || (!begins.empty() && begins.size() != names.size())) {
      return InvalidArgument(
          "`byte_offsets` must be of same size as `filenames`");
    }
  }
  return Ref<DatasetValue>(
      MakeRef<FileDataset>(std::move(names), std::move(begins), o));
}

StatusOr<Ref<DatasetValue>> BuildFixedLength(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(std::vector<std::string> names, FileNames(ctx));
  RecordFileOptions o{.kind = RecordFileOptions::Kind::kFixedLength};
  MR_ASSIGN_OR_RETURN(o.header_bytes,
                      AtLeast(ctx, 1, "header_bytes", 0, ">= 0"));
  MR_ASSIGN_OR_RETURN(o.record_bytes,
                      AtLeast(ctx, 2, "record_bytes", 1, "> 0"));
  MR_ASSIGN_OR_RETURN(o.footer_bytes,
                      AtLeast(ctx, 3, "footer_bytes", 0, ">= 0"));
  MR_RETURN_IF_ERROR(
      AtLeast(ctx, 4, "buffer_size", 0, ">= 0 (0 == default)").status());
  if (ctx.num_inputs() > 5) {
    MR_ASSIGN_OR_RETURN(o.compression, Compression(ctx, 5));
  }
  int64_t sum = 0;
  if (__builtin_add_overflow(o.header_bytes, o.footer_bytes, &sum) ||
      __builtin_add_overflow(sum, o.record_bytes, &sum)) {
    return InvalidArgument("header, record and footer of ", o.header_bytes,
                           ", ", o.record_bytes, " and ", o.footer_bytes,
                           " bytes are too long");
  }
  return Ref<DatasetValue>(
      MakeRef<FileDataset>(std::move(names), std::vector<uint64_t>(), o));
}

}  // namespace

MR_KERNELS(TextLineDataset, Cpu){MR_DATASET_KERNEL(BuildLines)};
MR_KERNELS(TFRecordDataset, Cpu){MR_DATASET_KERNEL(BuildRecords)};
MR_KERNELS(TFRecordDatasetV2, Cpu){MR_DATASET_KERNEL(BuildRecords)};
MR_KERNELS(FixedLengthRecordDataset, Cpu){MR_DATASET_KERNEL(BuildFixedLength)};
MR_KERNELS(FixedLengthRecordDatasetV2,
           Cpu){MR_DATASET_KERNEL(BuildFixedLength)};

}  // namespace millrace::ops

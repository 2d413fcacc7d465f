// CSVDataset: the records of CSV files. Files are read on the blocking pool,
// many records at a time.
#include "absl/strings/str_cat.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/data/blocking_call.h"
#include "millrace/ops/dataset_files/csv_file.h"

namespace millrace::ops {
namespace {

constexpr size_t kCsvRecordsPerRead = 512;
constexpr size_t kCsvBytesPerRead = size_t{256} << 10;

size_t RecordTextBytes(const Element& record) {
  size_t bytes = 0;
  for (const Tensor& t : record) {
    if (t.dtype() == DataType::kString)
      bytes += t.scalar<StringElement>().size();
  }
  return bytes;
}

class CsvDataset final : public DatasetValue {
 public:
  CsvDataset(ElementSignature s, std::vector<std::string> names,
             CsvFormat format)
      : DatasetValue(std::move(s), 1),
        names_(std::move(names)),
        format_(std::move(format)) {}
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      IteratorRuntime&) const override;

 private:
  class Iterator;

  const std::vector<std::string> names_;
  const CsvFormat format_;
};

class CsvDataset::Iterator final : public DatasetIterator {
 public:
  explicit Iterator(const CsvDataset& d) : read_(std::make_shared<Read>()) {
    read_->dataset = Ref<const CsvDataset>::Share(&d);
  }

  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    for (;;) {
      if (reading_.in_progress()) {
        MR_ASSIGN_OR_RETURN(const Pull done, reading_.Finish());
        if (done == Pull::kPending) return done;
        items_ = std::exchange(read_->items, {});
        next_ = 0;
        if (file_ != read_->source) taken_ = 0;
        file_ = read_->source;
        at_end_ = read_->at_end;
      }
      if (next_ < items_.size()) {
        Item& item = items_[next_++];
        ++taken_;
        MR_RETURN_IF_ERROR(item.status);
        *out = std::move(item.element);
        return Pull::kElement;
      }
      if (at_end_) return Pull::kEnd;
      // The runtime lives until the call is over.
      MR_RETURN_IF_ERROR(
          reading_.Start(ctx, [read = read_, runtime = &ctx.runtime()] {
            return ReadSome(*read, *runtime);
          }));
    }
  }

  // Saves the index of the file and how many of its records were returned.
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "file", static_cast<int64_t>(file_));
    out.Int(prefix + "records", taken_);
    out.Int(prefix + "ended", at_end_ && next_ == items_.size());
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
  struct Item {
    Status status;
    Element element;
  };
  // Belongs to the call in progress, or else to the iterator.
  struct Read {
    Ref<const CsvDataset> dataset;
    std::unique_ptr<CsvFile> open;
    size_t file = 0;        // index of the next file, or of the open one
    int64_t pass_over = 0;  // records of that file
    // The results of a call: records, and the index of their file.
    std::vector<Item> items;
    size_t source = 0;
    bool at_end = false;
  };

  // Returns the error of a file that cannot be read; as in stock, the next
  // attempt finds it again.
  static Status ReadSome(Read& read, IteratorRuntime& runtime) {
    const CsvDataset& d = *read.dataset;
    while (read.items.empty()) {
      read.source = read.file;
      if (read.file >= d.names_.size()) {
        read.at_end = true;
        return OkStatus();
      }
      if (read.open == nullptr) {
        auto open = std::make_unique<CsvFile>(d.format_, runtime.allocator());
        MR_RETURN_IF_ERROR(open->Open(runtime.files(), d.names_[read.file]));
        read.open = std::move(open);
        if (d.format_.header) MR_RETURN_IF_ERROR(read.open->SkipHeader());
      }
      MR_RETURN_IF_ERROR(ReadRecords(read, runtime));
    }
    return OkStatus();
  }

  static Status ReadRecords(Read& read, IteratorRuntime& runtime) {
    size_t bytes = 0;
    while (read.items.size() < kCsvRecordsPerRead && bytes < kCsvBytesPerRead) {
      if (runtime.scope()->cancelled()) return runtime.scope()->status();
      Item item;
      const StatusOr<bool> got = read.open->Next(&item.element);
      if (read.open->broken()) {
        // What came before it is returned first.
        return read.items.empty() ? got.status() : OkStatus();
      }
      if (got.ok() && !*got) {
        read.open = nullptr;
        read.pass_over = 0;
        ++read.file;
        return OkStatus();
      }
      if (read.pass_over > 0) {
        --read.pass_over;
        continue;
      }
      item.status = got.status();
      if (!got.ok()) item.element.clear();
      bytes += RecordTextBytes(item.element);
      read.items.push_back(std::move(item));
    }
    return OkStatus();
  }

  const std::shared_ptr<Read> read_;
  BlockingCall reading_;
  std::vector<Item> items_;
  size_t next_ = 0;
  bool at_end_ = false;
  size_t file_ = 0;    // index of the file of items_
  int64_t taken_ = 0;  // number of records taken from that file
};

StatusOr<std::unique_ptr<DatasetIterator>> CsvDataset::MakeIterator(
    IteratorRuntime&) const {
  return std::unique_ptr<DatasetIterator>(new Iterator(*this));
}

StatusOr<std::vector<std::string>> CsvFileNames(const Tensor& t) {
  if (t.rank() > 1) {
    return InvalidArgument("`filenames` must be a scalar or a vector.");
  }
  std::vector<std::string> names;
  for (const StringElement& name : t.flat<StringElement>()) {
    names.push_back(name.str());
  }
  return names;
}

// Checks columns that the argument `name` gives.
Status CheckCsvColumns(const std::vector<int64_t>& columns,
                       absl::string_view name) {
  for (size_t i = 1; i < columns.size(); ++i) {
    if (columns[i - 1] >= columns[i]) {
      return InvalidArgument(name, " should be strictly increasing indices");
    }
  }
  if (!columns.empty() && columns[0] < 0) {
    return InvalidArgument(name, " should be non-negative indices");
  }
  return OkStatus();
}

StatusOr<std::vector<int64_t>> CsvColumns(const Tensor& t,
                                          absl::string_view name) {
  if (t.rank() != 1) return InvalidArgument("`", name, "` must be a vector.");
  return IntValues(t);
}

StatusOr<std::vector<Tensor>> CsvDefaults(KernelContext& ctx, int first,
                                          int end) {
  std::vector<Tensor> defaults;
  for (int i = first; i < end; ++i) {
    const Tensor& fallback = ctx.input(i);
    if (fallback.rank() > 1) {
      return InvalidArgument("Each record default should be at most rank 1");
    }
    if (fallback.num_elements() > 1) {
      return InvalidArgument(
          "There should only be 1 default per field but field ", i - first,
          " has ", fallback.num_elements());
    }
    defaults.push_back(fallback);
  }
  return defaults;
}

// Says whether the last input has columns to leave out.
enum class CsvExcludes { kNone, kLastInput };

template <CsvExcludes kExcludes>
StatusOr<Ref<DatasetValue>> BuildCsv(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(ElementSignature signature, DeclaredSignature(ctx));
  MR_ASSIGN_OR_RETURN(std::vector<std::string> names,
                      CsvFileNames(ctx.input(0)));
  MR_ASSIGN_OR_RETURN(const std::string compression,
                      StringInput(ctx, 1, "compression_type"));
  CsvFormat format;
  format.types = signature.types;
  const int last = ctx.num_inputs() - 1;
  const bool excludes = kExcludes == CsvExcludes::kLastInput;
  MR_ASSIGN_OR_RETURN(format.defaults,
                      CsvDefaults(ctx, 8, excludes ? last : last + 1));
  MR_ASSIGN_OR_RETURN(format.columns, CsvColumns(ctx.input(7), "select_cols"));
  if (excludes) {
    MR_ASSIGN_OR_RETURN(format.excluded,
                        CsvColumns(ctx.input(last), "exclude_cols"));
  }
  MR_ASSIGN_OR_RETURN(const int64_t buffer,
                      ScalarInput<int64_t>(ctx, 2, "buffer_size"));
  if (buffer <= 0) return InvalidArgument("buffer_size should be positive");
  MR_ASSIGN_OR_RETURN(format.header, ScalarInput<bool>(ctx, 3, "header"));
  MR_ASSIGN_OR_RETURN(const std::string delimiter,
                      StringInput(ctx, 4, "field_delim"));
  if (delimiter.size() != 1) {
    return InvalidArgument("field_delim should be only 1 char");
  }
  format.delimiter = delimiter[0];
  MR_ASSIGN_OR_RETURN(format.quotes,
                      ScalarInput<bool>(ctx, 5, "use_quote_delim"));
  MR_ASSIGN_OR_RETURN(format.na_value, StringInput(ctx, 6, "na_value"));
  const StatusOr<FileCompression> parsed = ParseFileCompression(compression);
  if (!parsed.ok()) {
    return InvalidArgument("Unsupported compression_type: ", compression, ".");
  }
  format.compression = *parsed;
  if (!format.columns.empty() && !format.excluded.empty()) {
    return InvalidArgument(
        "Either select_cols or exclude_cols should be empty");
  }
  if (!format.columns.empty() &&
      format.columns.size() != signature.types.size()) {
    return InvalidArgument("select_cols should match output size");
  }
  MR_RETURN_IF_ERROR(CheckCsvColumns(format.columns, "select_cols"));
  MR_RETURN_IF_ERROR(CheckCsvColumns(format.excluded, "exclude_cols"));
  if (signature.types.size() != signature.shapes.size()) {
    return ComponentsDiffer(signature);
  }
  return Ref<DatasetValue>(MakeRef<CsvDataset>(
      std::move(signature), std::move(names), std::move(format)));
}

}  // namespace

MR_KERNELS(CSVDataset, Cpu){MR_DATASET_KERNEL(BuildCsv<CsvExcludes::kNone>)};
MR_KERNELS(CSVDatasetV2,
           Cpu){MR_DATASET_KERNEL(BuildCsv<CsvExcludes::kLastInput>)};
MR_KERNELS(ExperimentalCSVDataset,
           Cpu){MR_DATASET_KERNEL(BuildCsv<CsvExcludes::kNone>)};

}  // namespace millrace::ops

#include <atomic>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "millrace/base/threads/thread.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/io/csv.h"
#include "millrace/ops/io/number_text.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// The first error, in the order of records, among those that threads find.
class FirstFailure {
 public:
  // Returns true for records that need no further work.
  bool IsBefore(int64_t row) const {
    return row > row_.load(std::memory_order_relaxed);
  }
  void Note(int64_t row, Status status) {
    MutexLock lock(mu_);
    if (row >= row_.load(std::memory_order_relaxed)) return;
    row_.store(row, std::memory_order_relaxed);
    status_ = std::move(status);
  }
  // Returns the error. Requires: all threads are finished.
  const Status& status() const { return status_; }

 private:
  Mutex mu_;
  std::atomic<int64_t> row_ = std::numeric_limits<int64_t>::max();
  Status status_;
};

class DecodeCsvKernel {
 public:
  static StatusOr<DecodeCsvKernel> Make(const KernelInit& init) {
    DecodeCsvKernel k;
    MR_ASSIGN_OR_RETURN(const std::string delimiter,
                        init.Attr<std::string>("field_delim"));
    if (delimiter.size() != 1) {
      return InvalidArgument("field_delim should be only 1 char");
    }
    k.csv_.delimiter = delimiter[0];
    MR_ASSIGN_OR_RETURN(k.csv_.quotes, init.Attr<bool>("use_quote_delim"));
    MR_ASSIGN_OR_RETURN(k.na_value_, init.Attr<std::string>("na_value"));
    MR_ASSIGN_OR_RETURN(k.csv_.columns,
                        init.Attr<AttrValue::IntList>("select_cols"));
    const auto& columns = k.csv_.columns;
    if (columns.empty()) return k;
    if (static_cast<int>(columns.size()) != init.num_outputs()) {
      return InvalidArgument("select_cols should match output size");
    }
    for (size_t i = 1; i < columns.size(); ++i) {
      if (columns[i - 1] >= columns[i]) {
        return InvalidArgument(
            "select_cols should be strictly increasing indices");
      }
    }
    if (columns[0] < 0) {
      return InvalidArgument("select_cols should be non-negative indices");
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& records = ctx.input(0);
    const int columns = ctx.num_outputs();
    std::vector<Tensor*> outputs;
    for (int i = 0; i < columns; ++i) {
      const Tensor& fallback = ctx.input(i + 1);
      if (fallback.rank() > 1) {
        return InvalidArgument("Each record default should be at most rank 1");
      }
      if (fallback.num_elements() > 1) {
        return InvalidArgument(
            "There should only be 1 default per field but field ", i, " has ",
            fallback.num_elements());
      }
      MR_ASSIGN_OR_RETURN(Tensor* const out,
                          ctx.AllocateOutput(i, records.shape()));
      outputs.push_back(out);
    }
    FirstFailure failure;
    MR_RETURN_IF_ERROR(ctx.ParallelFor(
        records.num_elements(), kNanosPerField * (columns + 1),
        [&](int64_t begin, int64_t end) {
          CsvSplitter splitter(csv_);
          for (int64_t row = begin; row < end; ++row) {
            const bool cancelled =
                row % 1024 == 0 && !ctx.CheckCancelled().ok();
            if (cancelled || failure.IsBefore(row)) return;
            Status status = DecodeRecord(ctx, row, splitter, outputs);
            if (!status.ok()) failure.Note(row, std::move(status));
          }
        }));
    return failure.status();
  }

 private:
  static constexpr int64_t kNanosPerField = 30;

  Status DecodeRecord(KernelContext& ctx, int64_t row, CsvSplitter& splitter,
                      absl::Span<Tensor* const> outputs) const {
    const auto records = ctx.input(0).flat<StringElement>();
    MR_ASSIGN_OR_RETURN(const absl::Span<const absl::string_view> fields,
                        splitter.Split(records[static_cast<size_t>(row)]));
    if (fields.size() != outputs.size()) {
      return InvalidArgument("Expect ", outputs.size(), " fields but have ",
                             fields.size(), " in record ", row);
    }
    for (size_t i = 0; i < fields.size(); ++i) {
      const int column = static_cast<int>(i);
      MR_RETURN_IF_ERROR(
          Convert(fields[i], ctx.input(column + 1), column, row, *outputs[i]));
    }
    return OkStatus();
  }

  Status Convert(absl::string_view field, const Tensor& fallback, int column,
                 int64_t row, Tensor& out) const {
    const bool missing = field.empty() || field == na_value_;
    if (missing && fallback.num_elements() != 1) {
      return InvalidArgument("Field ", column,
                             " is required but missing in record ", row, "!");
    }
    const auto at = static_cast<size_t>(row);
    if (out.dtype() == DataType::kString) {
      out.mutable_flat<StringElement>()[at].Assign(
          missing ? fallback.flat<StringElement>()[0].view() : field);
      return OkStatus();
    }
    return Dispatch<float, double, int32_t, int64_t>(
        out.dtype(), [&]<class T>() -> Status {
          T& value = out.mutable_flat<T>()[at];
          if (missing) {
            value = fallback.flat<T>()[0];
          } else if (!ParseNumber(field, &value)) {
            return InvalidArgument("Field ", column, " in record ", row,
                                   " is not a valid ",
                                   DataTypeName(out.dtype()), ": ", field);
          }
          return OkStatus();
        });
  }

  CsvOptions csv_;
  std::string na_value_;
};

}  // namespace

MR_KERNELS(DecodeCSV, Cpu){{.make = MakeKernel<DecodeCsvKernel>}};

}  // namespace millrace::ops

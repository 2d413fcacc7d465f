#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/io/csv.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

bool Parse(absl::string_view text, float* v) {
  return absl::SimpleAtof(text, v);
}
bool Parse(absl::string_view text, double* v) {
  return absl::SimpleAtod(text, v);
}
template <class T>
bool Parse(absl::string_view text, T* v) {
  return absl::SimpleAtoi(text, v);
}

class DecodeCsvKernel {
 public:
  static StatusOr<DecodeCsvKernel> Make(const KernelInit& init) {
    DecodeCsvKernel k;
    MR_ASSIGN(const std::string delimiter,
              init.Attr<std::string>("field_delim"));
    if (delimiter.size() != 1) {
      return InvalidArgument("field_delim should be only 1 char");
    }
    k.csv_.delimiter = delimiter[0];
    MR_ASSIGN(k.csv_.quotes, init.Attr<bool>("use_quote_delim"));
    MR_ASSIGN(k.na_value_, init.Attr<std::string>("na_value"));
    MR_ASSIGN(k.csv_.columns, init.Attr<AttrValue::IntList>("select_cols"));
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
      MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(i, records.shape()));
      outputs.push_back(out);
    }
    std::vector<std::string> fields;
    for (int64_t row = 0; row < records.num_elements(); ++row) {
      if (row % 1024 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      MR_RETURN_IF_ERROR(SplitCsv(
          csv_, records.flat<StringElement>()[static_cast<size_t>(row)],
          &fields));
      if (static_cast<int>(fields.size()) != columns) {
        return InvalidArgument("Expect ", columns, " fields but have ",
                               fields.size(), " in record ", row);
      }
      for (int i = 0; i < columns; ++i) {
        MR_RETURN_IF_ERROR(Convert(fields[static_cast<size_t>(i)],
                                   ctx.input(i + 1), i, row,
                                   *outputs[static_cast<size_t>(i)]));
      }
    }
    return OkStatus();
  }

 private:
  Status Convert(const std::string& field, const Tensor& fallback, int column,
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
          } else if (!Parse(field, &value)) {
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
}  // namespace millrace::ops

using namespace millrace;
using namespace millrace::ops;

MR_KERNELS(DecodeCSV, Cpu){{.make = MakeKernel<DecodeCsvKernel>}};

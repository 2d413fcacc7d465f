// IgnoreErrorsDataset: passes over elements that are errors.
#include <string>

#include "millrace/base/log.h"
#include "millrace/ops/dataset/derived.h"

namespace millrace::ops {
namespace {

// A file that cannot be opened is the same error at every call. Stock passes
// over it for ever; here it is the error of the step after so many calls.
constexpr int kCallsForOneFile = 100;

bool IsOfAFile(const Status& status) {
  return status.code() == StatusCode::kNotFound ||
         status.code() == StatusCode::kPermissionDenied;
}

struct IgnoreParams {
  bool logs = false;
};

class IgnoreErrorsIterator final : public UnchangedIterator<IgnoreParams> {
 public:
  using UnchangedIterator::UnchangedIterator;
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    for (;;) {
      if (input_ == nullptr) return Pull::kEnd;
      const StatusOr<Pull> pull = ctx.Next(*input_, out);
      if (pull.ok()) {
        if (*pull == Pull::kEnd) input_ = nullptr;
        if (*pull != Pull::kPending) calls_ = 0;
        return pull;
      }
      if (pull.status().code() == StatusCode::kCancelled) return pull;
      if (IsOfAFile(pull.status())) {
        const std::string words(pull.status().message());
        calls_ = words == file_error_ ? calls_ + 1 : 1;
        file_error_ = words;
        if (calls_ == kCallsForOneFile) {
          calls_ = 0;
          return pull;
        }
      }
      if (params().logs) {
        MR_LOG(Warning) << "Error raised with error message "
                        << pull.status().message();
      }
      out->clear();
    }
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    return RestoreInput(in, prefix);
  }

 private:
  std::string file_error_;
  int calls_ = 0;  // in a row that had this error
};

StatusOr<Ref<DatasetValue>> BuildIgnoreErrors(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  IgnoreParams p;
  MR_ASSIGN_OR_RETURN(p.logs, GetAttr<bool>(ctx.node().attrs, "log_warning"));
  return MakeDataset<IgnoreErrorsIterator>(ctx, {input}, p);
}

}  // namespace

MR_KERNELS(IgnoreErrorsDataset, Cpu){MR_DATASET_KERNEL(BuildIgnoreErrors)};
MR_KERNELS(ExperimentalIgnoreErrorsDataset,
           Cpu){MR_DATASET_KERNEL(BuildIgnoreErrors)};

}  // namespace millrace::ops

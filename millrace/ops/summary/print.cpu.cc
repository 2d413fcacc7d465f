#include <atomic>
#include <cstdio>
#include <memory>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/string/counted_text.h"

namespace millrace::ops {
namespace {

class PrintKernel {
 public:
  static StatusOr<PrintKernel> Make(const KernelInit& init) {
    PrintKernel k;
    MR_ASSIGN_OR_RETURN(k.message_, init.Attr<std::string>("message"));
    MR_ASSIGN_OR_RETURN(k.first_n_, init.Attr<int64_t>("first_n"));
    MR_ASSIGN_OR_RETURN(k.summarize_, init.Attr<int32_t>("summarize"));
    k.printed_ = std::make_unique<std::atomic<int64_t>>(0);
    return k;
  }

  Status Run(KernelContext& ctx) const {
    if (first_n_ < 0 || printed_->fetch_add(1) < first_n_) {
      CountedText text(ctx);
      const auto append = [&text](absl::string_view piece) {
        return text.Append(piece);
      };
      MR_RETURN_IF_ERROR(append(message_));
      for (int i = 1; i < ctx.num_inputs(); ++i) {
        MR_RETURN_IF_ERROR(append("["));
        MR_RETURN_IF_ERROR(
            ctx.input(i).Summarize(summarize_, /*print_v2=*/false, append));
        MR_RETURN_IF_ERROR(append("]"));
      }
      MR_RETURN_IF_ERROR(append("\n"));
      // Without the place and time of a log's line: programs look for it.
      std::fwrite(text.view().data(), 1, text.view().size(), stderr);
      std::fflush(stderr);
    }
    ctx.set_output(0, ctx.TakeInput(0));
    return OkStatus();
  }

 private:
  std::string message_;
  int64_t first_n_ = -1;
  int64_t summarize_ = 3;
  std::unique_ptr<std::atomic<int64_t>> printed_;
};

}  // namespace

MR_KERNELS(Print, Cpu){{.make = MakeKernel<PrintKernel>, .views = "input"}};

}  // namespace millrace::ops

#include <algorithm>
#include <string>
#include <vector>

#include "millrace/checkpoint/records/byte_stream.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/io/blocking.h"

namespace millrace::ops {
namespace {

StatusOr<std::string> ScalarText(const Tensor& t, absl::string_view what) {
  if (t.rank() != 0) {
    return InvalidArgument(what, " tensor must be scalar, but had shape: ",
                           t.shape().DebugString());
  }
  return t.scalar<StringElement>().str();
}

class ReadFileKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    RunBlocking(ctx, std::move(done), [&ctx]() -> Status {
      MR_ASSIGN_OR_RETURN(const std::string name,
                          ScalarText(ctx.input(0), "Input filename"));
      MR_ASSIGN_OR_RETURN(const std::string contents,
                          ReadWholeFile(ctx.step().files, name));
      ctx.set_output(0, Tensor::Scalar<std::string>(contents));
      return OkStatus();
    });
  }
};

class WriteFileKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    RunBlocking(ctx, std::move(done), [&ctx]() -> Status {
      MR_ASSIGN_OR_RETURN(const std::string name,
                          ScalarText(ctx.input(0), "Input filename"));
      MR_RETURN_IF_ERROR(ScalarText(ctx.input(1), "Contents").status());
      FileSystem* const files = ctx.step().files;
      const std::string directory(Dirname(name));
      if (!directory.empty() && !files->Exists(directory).ok()) {
        MR_RETURN_IF_ERROR(files->CreateDirRecursively(directory));
      }
      return WriteStringToFile(files, name,
                               ctx.input(1).scalar<StringElement>().view());
    });
  }
};

class MatchingFilesKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    RunBlocking(ctx, std::move(done), [&ctx]() -> Status {
      if (ctx.input(0).rank() > 1) {
        return InvalidArgument(
            "Input patterns tensor must be scalar or vector, but had shape: ",
            ctx.input(0).shape().DebugString());
      }
      std::vector<std::string> found;
      for (const StringElement& pattern : ctx.input(0).flat<StringElement>()) {
        MR_RETURN_IF_ERROR(ctx.CheckCancelled());
        MR_ASSIGN_OR_RETURN(const auto paths,
                            ctx.step().files->GetMatchingPaths(pattern.str()));
        found.insert(found.end(), paths.begin(), paths.end());
      }
      std::sort(found.begin(), found.end());
      ctx.set_output(0,
                     Tensor::Vector<std::string>(absl::MakeConstSpan(found)));
      return OkStatus();
    });
  }
};

}  // namespace

MR_KERNELS(ReadFile, Cpu){
    {.make = MakeKernel<ReadFileKernel>, .host = "filename, contents"}};
MR_KERNELS(WriteFile, Cpu){
    {.make = MakeKernel<WriteFileKernel>, .host = "filename, contents"}};
MR_KERNELS(MatchingFiles, Cpu){
    {.make = MakeKernel<MatchingFilesKernel>, .host = "pattern, filenames"}};

}  // namespace millrace::ops

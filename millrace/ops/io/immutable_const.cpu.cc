#include <memory>
#include <string>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/io/blocking.h"
#include "millrace/tensor/bool_bytes.h"

namespace millrace::ops {
namespace {

class ImmutableConstKernel {
 public:
  static StatusOr<ImmutableConstKernel> Make(const KernelInit& init) {
    ImmutableConstKernel k;
    MR_ASSIGN_OR_RETURN(k.file_, init.Attr<std::string>("memory_region_name"));
    MR_ASSIGN_OR_RETURN(k.dtype_, init.Attr<DataType>("dtype"));
    if (k.dtype_ == DataType::kResource || k.dtype_ == DataType::kVariant) {
      return InvalidArgument(
          "Resource and variant dtypes are invalid for this op.");
    }
    MR_ASSIGN_OR_RETURN(const PartialShape shape,
                        init.Attr<PartialShape>("shape"));
    // As in stock, a shape of unknown rank is that of a scalar.
    if (!shape.known_rank()) return k;
    if (!shape.IsFullyDefined()) {
      return InvalidArgument("Shape ", shape.DebugString(),
                             " is not fully defined");
    }
    MR_ASSIGN_OR_RETURN(k.shape_, shape.AsTensorShape());
    return k;
  }

  void RunAsync(KernelContext& ctx, Done done) const {
    RunBlocking(ctx, std::move(done), [this, &ctx]() { return Read(ctx); });
  }

 private:
  Status Read(KernelContext& ctx) const {
    if (dtype_ == DataType::kString) {
      return Unimplemented(
          "Sorry, DT_STRING is not currently supported for ImmutableConstOp.");
    }
    MR_ASSIGN_OR_RETURN(const std::unique_ptr<RandomAccessFile> file,
                        ctx.step().files->NewRandomAccessFile(file_));
    MR_ASSIGN_OR_RETURN(const uint64_t size, file->Size());
    if (size == 0) return InvalidArgument(file_, "; Invalid argument");
    uint64_t bytes = 0;
    if (__builtin_mul_overflow(static_cast<uint64_t>(shape_.num_elements()),
                               static_cast<uint64_t>(SizeOf(dtype_)), &bytes)) {
      return InvalidArgument("Shape ", shape_.DebugString(), " is too large");
    }
    const auto too_short = [&](uint64_t length) {
      return Internal("Readonly memory region has wrong length (", length,
                      ") when allocating ", bytes);
    };
    if (size < bytes) return too_short(size);
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape_));
    if (bytes == 0) return OkStatus();
    char* const to = out->mutable_data();
    MR_ASSIGN_OR_RETURN(const size_t read,
                        file->Read(0, static_cast<size_t>(bytes), to));
    if (read < bytes) return too_short(read);
    CleanBools(dtype_, to, bytes);
    return OkStatus();
  }

  std::string file_;
  DataType dtype_ = DataType::kInvalid;
  TensorShape shape_;
};

}  // namespace

MR_KERNELS(ImmutableConst, Cpu){{.make = MakeKernel<ImmutableConstKernel>}};

}  // namespace millrace::ops

#include <algorithm>
#include <cstdint>

#include "millrace/base/coding.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/string/string_hash.h"

namespace millrace::ops {
namespace {

constexpr int64_t kFingerprintBytes = 8;

class FingerprintKernel {
 public:
  static StatusOr<FingerprintKernel> Make(const KernelInit& init) {
    const DataType type = init.input_type(0);
    if (type == DataType::kResource || type == DataType::kVariant) {
      return InvalidArgument("Fingerprint not implemented for data type ",
                             DataTypeName(type));
    }
    return FingerprintKernel();
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& method = ctx.input(1);
    if (method.rank() != 0) {
      return InvalidArgument("`method` should be a scalar string: ",
                             method.shape().DebugString());
    }
    const absl::string_view name = method.scalar<StringElement>().view();
    if (name != "farmhash64") {
      return InvalidArgument("Unsupported fingerprint method: ", name);
    }
    const Tensor& data = ctx.input(0);
    if (data.rank() < 1) {
      return InvalidArgument("`data` should have at least one dimension: ",
                             data.shape().DebugString());
    }
    const int64_t rows = data.dim(0);
    MR_ASSIGN_OR_RETURN(TensorShape shape,
                        TensorShape::Make({rows, kFingerprintBytes}));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    uint8_t* const bytes = out->mutable_flat<uint8_t>().data();
    return data.dtype() == DataType::kString ? HashTexts(ctx, rows, bytes)
                                             : HashBytes(ctx, rows, bytes);
  }

 private:
  static Status HashBytes(KernelContext& ctx, int64_t rows, uint8_t* out) {
    if (rows == 0) return OkStatus();
    const Tensor& data = ctx.input(0);
    const size_t size = data.size_bytes() / static_cast<size_t>(rows);
    return ctx.ParallelFor(
        rows, static_cast<int64_t>(20 + size / 4),
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const absl::string_view row(
                data.data() + static_cast<size_t>(i) * size, size);
            StoreFixed(out + i * kFingerprintBytes, FarmFingerprint(row));
          }
        });
  }

  // The fingerprint of a row of several texts is that of their fingerprints.
  static Status HashTexts(KernelContext& ctx, int64_t rows, uint8_t* out) {
    const auto texts = ctx.input(0).flat<StringElement>();
    const auto columns =
        rows == 0 ? int64_t{0} : static_cast<int64_t>(texts.size()) / rows;
    // As in stock, rows without texts have no fingerprint; here they are zeros.
    if (columns == 0) {
      std::fill_n(out, rows * kFingerprintBytes, uint8_t{0});
      return OkStatus();
    }
    if (columns == 1) {
      return ctx.ParallelFor(rows, 50, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          StoreFixed(out + i * kFingerprintBytes,
                     FarmFingerprint(texts[static_cast<size_t>(i)].view()));
        }
      });
    }
    MR_ASSIGN_OR_RETURN(
        Tensor scratch,
        ctx.AllocateTemp(DataType::kUint64, TensorShape({rows, columns})));
    uint64_t* const hashes = scratch.mutable_flat<uint64_t>().data();
    return ctx.ParallelFor(rows, 50 * columns, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        uint64_t* const row = hashes + i * columns;
        for (int64_t k = 0; k < columns; ++k) {
          row[k] = FarmFingerprint(
              texts[static_cast<size_t>(i * columns + k)].view());
        }
        StoreFixed(
            out + i * kFingerprintBytes,
            FarmFingerprint({reinterpret_cast<const char*>(row),
                             static_cast<size_t>(columns) * sizeof(*row)}));
      }
    });
  }
};

}  // namespace

MR_KERNELS(Fingerprint,
           Cpu){{.make = MakeKernel<FingerprintKernel>, .host = "method"}};

}  // namespace millrace::ops

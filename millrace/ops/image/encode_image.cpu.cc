// Kernels of EncodePng, EncodeJpeg and EncodeJpegVariableQuality.
#include <limits>
#include <string>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/image/files/jpeg.h"
#include "millrace/ops/image/files/png.h"

namespace millrace::ops {
namespace {

constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();

Status CheckQuality(int64_t quality) {
  if (quality < 0 || quality > 100) {
    return InvalidArgument("quality must be in [0,100], got ", quality);
  }
  return OkStatus();
}

// Encodes the image. `format` is "grayscale", "rgb" or empty (by the number of
// channels).
Status EncodeJpegTo(KernelContext& ctx, const std::string& format,
                    const JpegWriteOptions& options) {
  const Tensor& image = ctx.input(0);
  if (image.num_elements() >= kMaxInt32) {
    return InvalidArgument("Cannot encode images with >= max int32 elements");
  }
  const int64_t channels = image.dim(2);
  if (format.empty()) {
    if (channels != 1 && channels != 3) {
      return InvalidArgument("image must have 1 or 3 channels, got ",
                             image.shape().DebugString());
    }
  } else if (channels != (format == "rgb" ? 3 : 1)) {
    return InvalidArgument("format ", format, " expects ",
                           format == "rgb" ? 3 : 1, " channels, got ",
                           image.shape().DebugString());
  }
  MR_ASSIGN_OR_RETURN(const std::string bytes,
                      WriteJpeg(image.flat<uint8_t>().data(), image.dim(0),
                                image.dim(1), static_cast<int>(channels),
                                options, [&] { return ctx.CheckCancelled(); }));
  ctx.set_output(0, Tensor::Scalar<std::string>(bytes));
  return OkStatus();
}

Status CheckRank3(const Tensor& image) {
  if (image.rank() != 3) {
    return InvalidArgument("image must be 3-dimensional",
                           image.shape().DebugString());
  }
  return OkStatus();
}

class EncodeJpegKernel {
 public:
  static StatusOr<EncodeJpegKernel> Make(const KernelInit& init) {
    EncodeJpegKernel k;
    MR_ASSIGN_OR_RETURN(k.format_, init.Attr<std::string>("format"));
    MR_ASSIGN_OR_RETURN(const int64_t quality, init.Attr<int64_t>("quality"));
    MR_RETURN_IF_ERROR(CheckQuality(quality));
    k.options_.quality = static_cast<int>(quality);
    MR_ASSIGN_OR_RETURN(k.options_.progressive, init.Attr<bool>("progressive"));
    MR_ASSIGN_OR_RETURN(k.options_.optimize_size,
                        init.Attr<bool>("optimize_size"));
    MR_ASSIGN_OR_RETURN(k.options_.chroma_downsampling,
                        init.Attr<bool>("chroma_downsampling"));
    MR_ASSIGN_OR_RETURN(const auto unit,
                        init.Attr<std::string>("density_unit"));
    k.options_.density_in_cm = unit == "cm";
    MR_ASSIGN_OR_RETURN(const int64_t x_density,
                        init.Attr<int64_t>("x_density"));
    MR_ASSIGN_OR_RETURN(const int64_t y_density,
                        init.Attr<int64_t>("y_density"));
    // The file has 16 bits for each density.
    k.options_.x_density = static_cast<uint16_t>(x_density);
    k.options_.y_density = static_cast<uint16_t>(y_density);
    MR_ASSIGN_OR_RETURN(k.metadata_, init.Attr<std::string>("xmp_metadata"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_RETURN_IF_ERROR(CheckRank3(ctx.input(0)));
    JpegWriteOptions options = options_;
    options.xmp_metadata = metadata_;
    return EncodeJpegTo(ctx, format_, options);
  }

 private:
  std::string format_, metadata_;
  JpegWriteOptions options_;
};

Status RunEncodeJpegVariableQuality(KernelContext& ctx) {
  MR_RETURN_IF_ERROR(CheckRank3(ctx.input(0)));
  const Tensor& quality = ctx.input(1);
  if (quality.rank() != 0) {
    return InvalidArgument("quality must be scalar: ",
                           quality.shape().DebugString());
  }
  JpegWriteOptions options;
  options.quality = quality.scalar<int32_t>();
  MR_RETURN_IF_ERROR(CheckQuality(options.quality));
  return EncodeJpegTo(ctx, "", options);
}

class EncodePngKernel {
 public:
  static StatusOr<EncodePngKernel> Make(const KernelInit& init) {
    EncodePngKernel k;
    MR_ASSIGN_OR_RETURN(const int64_t compression,
                        init.Attr<int64_t>("compression"));
    if (compression < -1 || compression > 9) {
      return InvalidArgument("compression should be in [-1,9], got ",
                             compression);
    }
    k.compression_ = static_cast<int>(compression);
    return k;
  }

  // The last three dimensions are an image.
  Status Run(KernelContext& ctx) const {
    const Tensor& image = ctx.input(0);
    if (image.rank() < 3) {
      return InvalidArgument("images must be at least rank 3",
                             image.shape().DebugString());
    }
    if (image.num_elements() >= kMaxInt32) {
      return InvalidArgument("image cannot have >= int32 max elements");
    }
    const int batch_rank = image.rank() - 3;
    const int64_t height = image.dim(batch_rank);
    const int64_t width = image.dim(batch_rank + 1);
    const int64_t channels = image.dim(batch_rank + 2);
    if (channels < 1 || channels > 4) {
      return InvalidArgument("image must have 1, 2, 3, or 4 channels, got ",
                             channels);
    }
    if (width >= kMaxInt32 / 2 / channels) {
      return InvalidArgument("image too wide to encode");
    }
    const DimVector dims = image.shape().dims();
    MR_ASSIGN_OR_RETURN(const TensorShape batch,
                        TensorShape::Make(absl::MakeSpan(dims).first(
                            static_cast<size_t>(batch_rank))));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, batch));
    const auto bits = static_cast<int>(SizeOf(image.dtype())) * 8;
    const int64_t image_bytes = height * width * channels * (bits / 8);
    const auto encoded = out->mutable_flat<StringElement>();
    for (int64_t i = 0; i < batch.num_elements(); ++i) {
      const auto png = WritePng(image.data() + i * image_bytes, height, width,
                                static_cast<int>(channels), bits, compression_,
                                [&] { return ctx.CheckCancelled(); });
      if (png.status().code() == StatusCode::kInternal) {
        return Internal(
            "PNG encoding failed at the following flattened batch indices: ", i,
            " (", png.status().message(), ")");
      }
      MR_RETURN_IF_ERROR(png.status());
      encoded[static_cast<size_t>(i)].Assign(*png);
    }
    return OkStatus();
  }

 private:
  int compression_ = -1;
};

}  // namespace

MR_KERNELS(EncodeJpeg, Cpu){{.make = MakeKernel<EncodeJpegKernel>}};
MR_KERNELS(EncodeJpegVariableQuality,
           Cpu){{.make = MakeFunctionKernel<RunEncodeJpegVariableQuality>,
                 .host = "quality"}};
MR_KERNELS(EncodePng, Cpu){{.make = MakeKernel<EncodePngKernel>}};

}  // namespace millrace::ops

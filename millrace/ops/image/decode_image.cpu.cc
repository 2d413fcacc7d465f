// Kernels of DecodeJpeg and the other ops that decode images. Each op reads
// several formats; it decides the shape of the result and what it refuses.
#include <limits>
#include <string>

#include "absl/strings/match.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/image/files/bmp.h"
#include "millrace/ops/image/files/gif.h"
#include "millrace/ops/image/files/jpeg.h"
#include "millrace/ops/image/files/png.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

ImageFormat FormatOf(absl::string_view bytes) {
  if (absl::StartsWith(bytes, "\xff\xd8\xff")) return ImageFormat::kJpeg;
  if (absl::StartsWith(bytes, "\x89PNG\r\n\x1a\n")) return ImageFormat::kPng;
  if (absl::StartsWith(bytes, "GIF8")) return ImageFormat::kGif;
  if (absl::StartsWith(bytes, "BM")) return ImageFormat::kBmp;
  if (bytes.size() > 12 && absl::StartsWith(bytes, "RIFF") &&
      absl::StartsWith(bytes.substr(8), "WEBP")) {
    return ImageFormat::kWebP;
  }
  return ImageFormat::kUnknown;
}

namespace {

enum class DecodeOp { kJpeg, kCropJpeg, kPng, kGif, kBmp, kImage };

// Factors between ranges of samples. They are integers, as in TensorFlow.
constexpr int kByteTo16Bits = 256;

template <class From, class To>
Status Scale(KernelContext& ctx, const From* from, To* to, int64_t count,
             To factor) {
  return ctx.ParallelFor(count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      to[i] = static_cast<To>(static_cast<To>(from[i]) * factor);
    }
  });
}

// The op's output, and the samples in the codec's type if that is another one.
class Samples {
 public:
  Samples(KernelContext& ctx, DataType codec_type)
      : ctx_(ctx), codec_type_(codec_type) {}

  StatusOr<uint8_t*> Allocate(absl::Span<const int64_t> dims) {
    MR_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
    MR_ASSIGN_OR_RETURN(out_, ctx_.AllocateOutput(0, shape));
    if (out_->dtype() == codec_type_) {
      return reinterpret_cast<uint8_t*>(out_->mutable_data());
    }
    MR_ASSIGN_OR_RETURN(raw_, ctx_.AllocateTemp(codec_type_, shape));
    return reinterpret_cast<uint8_t*>(raw_.mutable_data());
  }

  Status Convert() {
    const int64_t n = out_->num_elements();
    if (out_->dtype() == codec_type_) return OkStatus();
    if (codec_type_ == DataType::kUint16) {
      return Scale(ctx_, raw_.flat<uint16_t>().data(),
                   out_->mutable_flat<float>().data(), n, 1.0f / 65535);
    }
    const uint8_t* const bytes = raw_.flat<uint8_t>().data();
    if (out_->dtype() == DataType::kUint16) {
      return Scale(ctx_, bytes, out_->mutable_flat<uint16_t>().data(), n,
                   uint16_t{kByteTo16Bits});
    }
    return Scale(ctx_, bytes, out_->mutable_flat<float>().data(), n,
                 1.0f / 255);
  }

 private:
  KernelContext& ctx_;
  const DataType codec_type_;
  Tensor* out_ = nullptr;
  Tensor raw_;
};

class DecodeKernel {
 public:
  static StatusOr<DecodeKernel> Make(const KernelInit& init, DecodeOp op) {
    DecodeKernel k;
    k.op_ = op;
    if (k.op_ == DecodeOp::kJpeg || k.op_ == DecodeOp::kCropJpeg) {
      MR_RETURN_IF_ERROR(k.ReadJpegAttrs(init));
    }
    if (k.op_ == DecodeOp::kImage) {
      MR_ASSIGN_OR_RETURN(k.animations_, init.Attr<bool>("expand_animations"));
    }
    if (k.op_ == DecodeOp::kGif) {
      k.channels_ = 3;
      return k;
    }
    MR_ASSIGN_OR_RETURN(const int64_t channels, init.Attr<int64_t>("channels"));
    if (channels != 0 && channels != 1 && channels != 3 && channels != 4) {
      return InvalidArgument("`channels` must be 0, 1, 3 or 4 but got ",
                             channels);
    }
    k.channels_ = static_cast<int>(channels);
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& contents = ctx.input(0);
    if (contents.rank() != 0) {
      return InvalidArgument("`contents` must be scalar but got shape",
                             contents.shape().DebugString());
    }
    const absl::string_view bytes = contents.scalar<StringElement>().view();
    if (bytes.empty()) return InvalidArgument("Input is empty.");
    if (bytes.size() > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument("Input contents are too large for int: ",
                             bytes.size());
    }
    switch (FormatOf(bytes)) {
      case ImageFormat::kJpeg:
        return DecodeJpeg(ctx, bytes);
      case ImageFormat::kPng:
        return DecodePng(ctx, bytes);
      case ImageFormat::kGif:
        return DecodeGif(ctx, bytes);
      case ImageFormat::kBmp:
        return DecodeBmp(ctx, bytes);
      case ImageFormat::kWebP:
        return Unimplemented(
            "WebP pictures cannot be read here; JPEG, PNG, "
            "GIF and BMP can");
      case ImageFormat::kUnknown:
        break;
    }
    return InvalidArgument(
        "Unknown image file format. One of JPEG, JPEG XL, PNG, GIF, BMP, WebP "
        "required.");
  }

 private:
  Status ReadJpegAttrs(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(const int64_t ratio, init.Attr<int64_t>("ratio"));
    if (ratio != 1 && ratio != 2 && ratio != 4 && ratio != 8) {
      return InvalidArgument("ratio must be 1, 2, 4, or 8, got ", ratio);
    }
    jpeg_.ratio = static_cast<int>(ratio);
    MR_ASSIGN_OR_RETURN(jpeg_.fancy_upscaling,
                        init.Attr<bool>("fancy_upscaling"));
    MR_ASSIGN_OR_RETURN(jpeg_.recover_truncated,
                        init.Attr<bool>("try_recover_truncated"));
    MR_ASSIGN_OR_RETURN(jpeg_.acceptable_fraction,
                        init.Attr<float>("acceptable_fraction"));
    MR_ASSIGN_OR_RETURN(const auto method,
                        init.Attr<std::string>("dct_method"));
    if (!method.empty() && method != "INTEGER_FAST" &&
        method != "INTEGER_ACCURATE") {
      return InvalidArgument(
          "dct_method must be one of {'', 'INTEGER_FAST', "
          "'INTEGER_ACCURATE'}");
    }
    jpeg_.accurate_dct = method == "INTEGER_ACCURATE";
    jpeg_.crop = op_ == DecodeOp::kCropJpeg;
    return OkStatus();
  }

  // DecodeBmp reads only BMP, DecodeAndCropJpeg only JPEG.
  Status CheckOp(const char* format, const char* right_op) const {
    if (op_ == DecodeOp::kBmp) {
      return InvalidArgument("Trying to decode ", format,
                             " format using DecodeBmp op. Use `", right_op,
                             "` or `decode_image` instead.");
    }
    if (op_ == DecodeOp::kCropJpeg) {
      return InvalidArgument(
          "DecodeAndCropJpeg operation can run on JPEG only, but detected ",
          format, ".");
    }
    return OkStatus();
  }

  // Allocates one image; DecodeGif makes it an animation of one frame.
  StatusOr<uint8_t*> AllocatePicture(Samples& samples, int64_t height,
                                     int64_t width, int64_t channels) const {
    if (op_ == DecodeOp::kGif) {
      return samples.Allocate({1, height, width, channels});
    }
    return samples.Allocate({height, width, channels});
  }

  Status DecodeJpeg(KernelContext& ctx, absl::string_view bytes) const {
    if (channels_ == 4) {
      return InvalidArgument("JPEG does not support 4 channels");
    }
    if (op_ == DecodeOp::kBmp) {
      return CheckOp("JPEG", "decode_jpeg");
    }
    JpegReadOptions options = jpeg_;
    options.channels = channels_;
    if (options.crop) MR_RETURN_IF_ERROR(ReadWindow(ctx.input(1), &options));
    Samples samples(ctx, DataType::kUint8);
    MR_RETURN_IF_ERROR(ReadJpeg(
        bytes, options,
        [&](int64_t height, int64_t width, int64_t channels) {
          return AllocatePicture(samples, height, width, channels);
        },
        [&] { return ctx.CheckCancelled(); }));
    return samples.Convert();
  }

  static Status ReadWindow(const Tensor& window, JpegReadOptions* options) {
    if (window.rank() != 1) {
      return InvalidArgument("crop_window must be 1-D, got shape ",
                             window.shape().DebugString());
    }
    if (window.dim(0) != 4) {
      return InvalidArgument("crop_size must have four elements ",
                             window.shape().DebugString());
    }
    const auto values = window.flat<int32_t>();
    options->crop_y = values[0];
    options->crop_x = values[1];
    options->crop_height = values[2];
    options->crop_width = values[3];
    return OkStatus();
  }

  Status DecodePng(KernelContext& ctx, absl::string_view bytes) const {
    const bool wide = ctx.output_type(0) != DataType::kUint8;
    Samples samples(ctx, wide ? DataType::kUint16 : DataType::kUint8);
    MR_RETURN_IF_ERROR(ReadPng(
        bytes, channels_, wide ? 16 : 8,
        [&](int64_t height, int64_t width,
            int64_t channels) -> StatusOr<uint8_t*> {
          MR_RETURN_IF_ERROR(CheckOp("PNG", "decode_png"));
          return AllocatePicture(samples, height, width, channels);
        },
        [&] { return ctx.CheckCancelled(); }));
    return samples.Convert();
  }

  Status DecodeGif(KernelContext& ctx, absl::string_view bytes) const {
    if (channels_ != 0 && channels_ != 3) {
      return InvalidArgument("channels must be 0 or 3 for GIF, got ",
                             channels_);
    }
    MR_RETURN_IF_ERROR(CheckOp("GIF", "decode_gif"));
    Samples samples(ctx, DataType::kUint8);
    const auto allocate = [&](int64_t frames, int64_t height, int64_t width,
                              int64_t channels) -> StatusOr<uint8_t*> {
      const bool one_picture = op_ == DecodeOp::kJpeg || op_ == DecodeOp::kPng;
      if (one_picture && frames != 1) {
        return InvalidArgument(
            "Got ", frames,
            " frames, but animated gifs can only be decoded by "
            "tf.io.decode_gif or tf.io.decode_image");
      }
      if (one_picture || !animations_) {
        return samples.Allocate({height, width, channels});
      }
      return samples.Allocate({frames, height, width, channels});
    };
    MR_RETURN_IF_ERROR(
        ReadGif(bytes, animations_ ? GifFrames::kAll : GifFrames::kFirst,
                allocate, [&] { return ctx.CheckCancelled(); }));
    return samples.Convert();
  }

  Status DecodeBmp(KernelContext& ctx, absl::string_view bytes) const {
    if (channels_ == 1) {
      return InvalidArgument("`channels` must be 0, 3 or 4 for BMP, but got 1");
    }
    if (op_ == DecodeOp::kCropJpeg) return CheckOp("BMP", "decode_bmp");
    if (op_ != DecodeOp::kBmp && op_ != DecodeOp::kImage) {
      return InvalidArgument(
          "Trying to decode BMP format using a wrong op. Use `decode_bmp` or "
          "`decode_image` instead. Op used: ",
          ctx.node().op->name);
    }
    Samples samples(ctx, DataType::kUint8);
    MR_RETURN_IF_ERROR(ReadBmp(
        bytes, channels_,
        [&](int64_t height, int64_t width, int64_t channels) {
          return samples.Allocate({height, width, channels});
        },
        [&] { return ctx.CheckCancelled(); }));
    return samples.Convert();
  }

  DecodeOp op_ = DecodeOp::kImage;
  int channels_ = 0;
  bool animations_ = true;
  JpegReadOptions jpeg_;
};

template <DecodeOp kOp>
class DecodeAs {
 public:
  static StatusOr<DecodeAs> Make(const KernelInit& init) {
    DecodeAs k;
    MR_ASSIGN_OR_RETURN(k.kernel_, DecodeKernel::Make(init, kOp));
    return k;
  }
  Status Run(KernelContext& ctx) const { return kernel_.Run(ctx); }

 private:
  DecodeKernel kernel_;
};

class JpegShapeKernel {
 public:
  Status Run(KernelContext& ctx) const {
    const Tensor& contents = ctx.input(0);
    if (contents.rank() != 0) {
      return InvalidArgument("contents must be scalar, got shape ",
                             contents.shape().DebugString());
    }
    const absl::string_view bytes = contents.scalar<StringElement>().view();
    const auto shape = JpegShape(bytes, [&] { return ctx.CheckCancelled(); });
    if (shape.status().code() == StatusCode::kInvalidArgument) {
      return InvalidArgument("Invalid JPEG data, size ", bytes.size());
    }
    MR_RETURN_IF_ERROR(shape.status());
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, TensorShape({3})));
    return Dispatch(IndexTypes{}, out->dtype(), [&]<class T>() -> Status {
      for (size_t i = 0; i < 3; ++i) {
        out->mutable_flat<T>()[i] = static_cast<T>((*shape)[i]);
      }
      return OkStatus();
    });
  }
};

}  // namespace

MR_KERNELS(DecodeJpeg, Cpu){{.make = MakeKernel<DecodeAs<DecodeOp::kJpeg>>}};
MR_KERNELS(DecodeAndCropJpeg, Cpu){
    {.make = MakeKernel<DecodeAs<DecodeOp::kCropJpeg>>, .host = "crop_window"}};
MR_KERNELS(DecodePng, Cpu){{.make = MakeKernel<DecodeAs<DecodeOp::kPng>>}};
MR_KERNELS(DecodeGif, Cpu){{.make = MakeKernel<DecodeAs<DecodeOp::kGif>>}};
MR_KERNELS(DecodeBmp, Cpu){{.make = MakeKernel<DecodeAs<DecodeOp::kBmp>>}};
MR_KERNELS(DecodeImage, Cpu){{.make = MakeKernel<DecodeAs<DecodeOp::kImage>>}};
MR_KERNELS(ExtractJpegShape, Cpu){{.make = MakeKernel<JpegShapeKernel>}};

}  // namespace millrace::ops

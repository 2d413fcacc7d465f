// Runs each convolution on a GPU by the fastest way for it.
#pragma once

#include "millrace/device/cuda/cudnn.h"
#include "millrace/ops/convolution/conv_images.gpu.h"
#include "millrace/ops/convolution/conv_tiles.gpu.h"
#include "millrace/ops/product/matrix_product.gpu.h"

namespace millrace::ops {

// A pass of convolutions of one type: windows of a single pixel or of whole
// images are products of matrices; others run by cuDNN, and by our own function
// int32 and what cuDNN does not take. Thread-safe.
class GpuConv {
 public:
  GpuConv() = default;
  GpuConv(const KernelInit& init, DataType type, ConvPass pass)
      : type_(type),
        pass_(pass),
        product_(init, type),
        images_(init, type),
        tiled_(init, type, pass) {}

  // Enqueues the pass. Requires: no size is 0.
  Status Run(KernelContext& ctx, const ConvProblem& p,
             const GpuConvData& data) const;

 private:
  Status RunAsProduct(KernelContext& ctx, const MatrixProblem& p,
                      const GpuConvData& data) const;
  // Return false if nothing was enqueued that matters, since the library does
  // not convolve it or there is no memory. Images are in the order that p says.
  StatusOr<bool> RunByLibrary(KernelContext& ctx, const ConvProblem& p,
                              const GpuConvData& data) const;
  // Does the same for images with channels last, with channels first.
  StatusOr<bool> RunTransposed(KernelContext& ctx, const ConvProblem& p,
                               const GpuConvData& data) const;
  // Enqueues what is left when images are padded alike at both ends and
  // filters are in the library's order.
  StatusOr<bool> RunPadded(KernelContext& ctx, const ConvProblem& p,
                           const GpuConvData& data) const;

  DataType type_ = DataType::kInvalid;
  ConvPass pass_ = ConvPass::kForward;
  GpuMatrixProduct product_;
  ConvImages images_;
  TiledConv tiled_;
};

}  // namespace millrace::ops

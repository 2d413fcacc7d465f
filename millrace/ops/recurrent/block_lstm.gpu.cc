// Kernels of LSTM layers over all time steps, and of their gradients, on GPUs.
// As in TensorFlow, the number of steps is read on the host.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/recurrent/block_lstm_grad_kernel.h"
#include "millrace/ops/recurrent/block_lstm_kernel.h"
#include "millrace/ops/recurrent/recurrence.gpu.h"

namespace millrace::ops {
namespace {

template <GateOrder kOrder>
constexpr KernelEntry kBlockLstmOnGpu = {
    .types = "T: float, half",
    .make = MakeKernel<BlockLstmKernel<GpuRecurrence, kOrder>>,
    .host = "seq_len_max"};

template <GateOrder kOrder>
constexpr KernelEntry kBlockLstmGradOnGpu = {
    .types = "T: float, half",
    .make =
        MakeKernel<block_lstm_grad::BlockLstmGradKernel<GpuRecurrence, kOrder>>,
    .host = "seq_len_max"};

}  // namespace

MR_KERNELS(BlockLSTM, Gpu){kBlockLstmOnGpu<GateOrder::kCellBeforeForget>};
MR_KERNELS(BlockLSTMV2, Gpu){kBlockLstmOnGpu<GateOrder::kForgetBeforeCell>};
MR_KERNELS(BlockLSTMGrad,
           Gpu){kBlockLstmGradOnGpu<GateOrder::kCellBeforeForget>};
MR_KERNELS(BlockLSTMGradV2,
           Gpu){kBlockLstmGradOnGpu<GateOrder::kForgetBeforeCell>};

}  // namespace millrace::ops

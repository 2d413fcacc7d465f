// Kernels of gradients of LSTM layers over all time steps.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/recurrent/block_lstm_grad_kernel.h"

namespace millrace::ops {
namespace {

template <GateOrder kOrder>
constexpr KernelEntry kBlockLstmGrad = {
    .types = "T: float, half",
    .make =
        MakeKernel<block_lstm_grad::BlockLstmGradKernel<CpuRecurrence, kOrder>>,
    .host = "seq_len_max"};

}  // namespace

MR_KERNELS(BlockLSTMGrad, Cpu){kBlockLstmGrad<GateOrder::kCellBeforeForget>};
MR_KERNELS(BlockLSTMGradV2, Cpu){kBlockLstmGrad<GateOrder::kForgetBeforeCell>};

}  // namespace millrace::ops

// Kernels of LSTM layers over all time steps.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/recurrent/block_lstm_kernel.h"

namespace millrace::ops {
namespace {

template <GateOrder kOrder>
constexpr KernelEntry kBlockLstm = {
    .types = "T: float, half",
    .make = MakeKernel<BlockLstmKernel<CpuRecurrence, kOrder>>,
    .host = "seq_len_max"};

}  // namespace

MR_KERNELS(BlockLSTM, Cpu){kBlockLstm<GateOrder::kCellBeforeForget>};
MR_KERNELS(BlockLSTMV2, Cpu){kBlockLstm<GateOrder::kForgetBeforeCell>};

}  // namespace millrace::ops

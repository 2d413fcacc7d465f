// Kernels of a single time step of an LSTM layer.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/recurrent/lstm_cell_kernels.h"

namespace millrace::ops {

MR_KERNELS(LSTMBlockCell,
           Cpu){{.types = "T: float, half",
                 .make = MakeKernel<lstm_cell::LstmCellKernel<CpuRecurrence>>}};
MR_KERNELS(LSTMBlockCellGrad, Cpu){
    {.types = "T: float, half",
     .make = MakeKernel<lstm_cell::LstmCellGradKernel<CpuRecurrence>>}};

}  // namespace millrace::ops

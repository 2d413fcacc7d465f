// Kernels of a single time step of an LSTM layer on GPUs.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/recurrent/lstm_cell_kernels.h"
#include "millrace/ops/recurrent/recurrence.gpu.h"

namespace millrace::ops {

MR_KERNELS(LSTMBlockCell,
           Gpu){{.types = "T: float, half",
                 .make = MakeKernel<lstm_cell::LstmCellKernel<GpuRecurrence>>}};
MR_KERNELS(LSTMBlockCellGrad, Gpu){
    {.types = "T: float, half",
     .make = MakeKernel<lstm_cell::LstmCellGradKernel<GpuRecurrence>>}};

}  // namespace millrace::ops

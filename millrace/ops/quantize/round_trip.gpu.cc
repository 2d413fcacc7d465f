#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(QuantizeAndDequantize, Gpu){kOnHostIfAsked};
MR_KERNELS(QuantizeAndDequantizeV2, Gpu){kOnHostIfAsked};
MR_KERNELS(QuantizeAndDequantizeV3, Gpu){kOnHostIfAsked};
MR_KERNELS(QuantizeAndDequantizeV4, Gpu){kOnHostIfAsked};
MR_KERNELS(QuantizeAndDequantizeV4Grad, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops

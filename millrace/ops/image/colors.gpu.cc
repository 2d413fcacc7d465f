#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(AdjustContrast, Gpu){kOnHostIfAsked};
MR_KERNELS(AdjustContrastv2, Gpu){kOnHostIfAsked};
MR_KERNELS(AdjustHue, Gpu){kOnHostIfAsked};
MR_KERNELS(AdjustSaturation, Gpu){kOnHostIfAsked};
MR_KERNELS(HSVToRGB, Gpu){kOnHostIfAsked};
MR_KERNELS(RGBToHSV, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops

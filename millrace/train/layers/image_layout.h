// How windows slide over images, and in which order an image's dimensions are.
#pragma once

namespace millrace::train {

enum class Padding {
  kValid,  // windows lie inside of the image
  kSame,   // windows reach over its edges, which count as padded with zeros
};

enum class DataFormat {
  kNhwc,  // [batch, height, width, channels]
  kNchw,  // [batch, channels, height, width], for which CPUs have no kernels
};

}  // namespace millrace::train

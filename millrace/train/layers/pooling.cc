#include "millrace/train/layers/pooling.h"

#include <vector>

#include "millrace/client/ops.h"
#include "millrace/train/layers/all_dimensions.h"

namespace millrace::train {
namespace {

Scope BlockOf(const Scope& scope, const PoolingOptions& options,
              const char* name) {
  return scope.SubScope(options.name.empty() ? name : options.name);
}

}  // namespace

Output MaxPooling2D(const Scope& scope, const Output& x,
                    std::array<int64_t, 2> pool_size,
                    std::array<int64_t, 2> strides,
                    const PoolingOptions& options) {
  return ops::MaxPool(BlockOf(scope, options, "max_pooling2d"), x,
                      AllDimensions(pool_size, options.data_format),
                      AllDimensions(strides, options.data_format),
                      WordOf(options.padding),
                      {.data_format = WordOf(options.data_format)});
}

Output AveragePooling2D(const Scope& scope, const Output& x,
                        std::array<int64_t, 2> pool_size,
                        std::array<int64_t, 2> strides,
                        const PoolingOptions& options) {
  return ops::AvgPool(BlockOf(scope, options, "average_pooling2d"), x,
                      AllDimensions(pool_size, options.data_format),
                      AllDimensions(strides, options.data_format),
                      WordOf(options.padding),
                      {.data_format = WordOf(options.data_format)});
}

}  // namespace millrace::train

// Rooms: tensor
// Any bytes as an Example or a SequenceExample: as many values are copied as
// were counted, and never more than there are bytes.
#include <cstdint>
#include <memory>

#include "millrace/base/check.h"
#include "millrace/ops/parse/feature_wire.h"

namespace {

using namespace millrace;
using namespace millrace::ops;

void Read(absl::string_view bytes) {
  FeatureView feature;
  if (!ReadFeature(bytes, &feature)) return;
  const int64_t count = CountValues(feature);
  MR_CHECK(count <= static_cast<int64_t>(bytes.size()));
  if (count <= 0) return;
  // Of exactly this size, so that the sanitizer sees a byte too many.
  switch (feature.type) {
    case DataType::kString: {
      auto values = std::make_unique<StringElement[]>(count);
      CopyValues(feature, reinterpret_cast<char*>(values.get()), 0);
      break;
    }
    case DataType::kFloat: {
      auto values = std::make_unique<float[]>(count);
      CopyValues(feature, reinterpret_cast<char*>(values.get()), 0);
      break;
    }
    default: {
      auto values = std::make_unique<int64_t[]>(count);
      CopyValues(feature, reinterpret_cast<char*>(values.get()), 0);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view message(reinterpret_cast<const char*>(data), size);
  Read(message);
  (void)VisitFields(message, [](uint32_t, absl::string_view map) {
    return VisitMap(map, [](absl::string_view, absl::string_view value) {
      Read(value);
      (void)VisitFields(value, [](uint32_t, absl::string_view feature) {
        Read(feature);
        return true;
      });
    });
  });
  return 0;
}

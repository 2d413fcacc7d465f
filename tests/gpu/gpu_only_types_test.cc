// Types of ops that GPUs alone have, as in TensorFlow: no case has them, so
// they are compared with another type on the CPU.
#include <cmath>

#include "millrace/tensor/numeric_types.h"
#include "tests/gpu/both_devices.h"

namespace millrace {
namespace {

class GpuOnlyTypesTest : public BothDevicesTest {
 protected:
  void SetUp() override { Start(); }

  // Expects of the op in half on the GPU what it is in float on the CPU, for
  // images with values from 0 to 1 and a number.
  void ExpectHalf(const char* op, float amount) {
    Tensor small = Tensor::New(DataType::kHalf, TensorShape({2, 5, 4, 3}));
    Tensor images = Floats(small.shape());
    auto halves = small.mutable_flat<Half>();
    auto floats = images.mutable_flat<float>();
    for (size_t i = 0; i < floats.size(); ++i) {
      halves[i] = Half(std::fabs(floats[i]));
      floats[i] = static_cast<float>(halves[i]);
    }
    Tensor number = Tensor::New(DataType::kFloat, TensorShape());
    number.mutable_flat<float>()[0] = amount;
    const auto got = Run(kGpu, op, {small, number}, {{"T", DataType::kHalf}});
    const auto wanted =
        Run(kCpu, op, {images, number}, {{"T", DataType::kFloat}});
    ASSERT_TRUE(got.ok()) << got.status();
    ASSERT_TRUE(wanted.ok()) << wanted.status();
    for (size_t i = 0; i < floats.size(); ++i) {
      const float want = wanted->flat<float>()[i];
      ASSERT_NEAR(static_cast<float>(got->flat<Half>()[i]), want,
                  2e-3 * (1 + std::fabs(want)))
          << op << ", element " << i;
    }
  }
};

TEST_F(GpuOnlyTypesTest, ColorsOfHalf) {
  ExpectHalf("AdjustHue", 0.3f);
  ExpectHalf("AdjustSaturation", 1.5f);
  ExpectHalf("AdjustContrastv2", 0.7f);
}

TEST_F(GpuOnlyTypesTest, RoundedHalf) {
  Tensor x = Tensor::New(DataType::kHalf, TensorShape({5}));
  const float values[] = {-2.5f, -0.5f, 0.5f, 1.5f, 2.25f};
  for (size_t i = 0; i < 5; ++i) x.mutable_flat<Half>()[i] = Half(values[i]);
  const auto got = Run(kGpu, "Rint", {x}, {{"T", DataType::kHalf}});
  ASSERT_TRUE(got.ok()) << got.status();
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(static_cast<float>(got->flat<Half>()[i]),
              std::nearbyint(values[i]));
  }
}

TEST_F(GpuOnlyTypesTest, PatchesOfBool) {
  const TensorShape shape({2, 5, 6, 3});
  Tensor x = Tensor::New(DataType::kBool, shape);
  Tensor bytes = Tensor::New(DataType::kUint8, shape);
  for (size_t i = 0; i < x.flat<bool>().size(); ++i) {
    x.mutable_flat<bool>()[i] = i % 7 < 3;
    bytes.mutable_flat<uint8_t>()[i] = i % 7 < 3 ? 1 : 0;
  }
  AttrMap attrs = {{"ksizes", IntList({1, 3, 2, 1})},
                   {"strides", IntList({1, 2, 1, 1})},
                   {"rates", IntList({1, 1, 2, 1})},
                   {"padding", "SAME"},
                   {"T", DataType::kBool}};
  const auto got = Run(kGpu, "ExtractImagePatches", {x}, attrs);
  attrs.Set("T", DataType::kUint8);
  const auto wanted = Run(kCpu, "ExtractImagePatches", {bytes}, attrs);
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_TRUE(wanted.ok()) << wanted.status();
  ASSERT_EQ(got->shape(), wanted->shape());
  for (size_t i = 0; i < got->flat<bool>().size(); ++i) {
    ASSERT_EQ(got->flat<bool>()[i], wanted->flat<uint8_t>()[i] != 0) << i;
  }
}

}  // namespace
}  // namespace millrace

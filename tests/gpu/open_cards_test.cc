// Cards are left out where what is compiled cannot be loaded.
#include <gmock/gmock.h>

#include "tests/gpu/cuda_devices.h"

namespace millrace::cuda {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class OpenCardsTest : public CudaTest {
 protected:
  // Expects that of two cards the first is left out, and that a line says why.
  static void ExpectFirstLeftOut(const std::string& why) {
    const LoggedLines log;
    const auto gpus = MakeGpus({}, 2);
    ASSERT_TRUE(gpus.ok()) << gpus.status();
    ASSERT_EQ(gpus->size(), 1u);
    EXPECT_THAT((*gpus)[0]->name(), EndsWith("GPU:1"));
    EXPECT_THAT((*gpus)[0]->attributes().physical_description,
                StartsWith("device: 1,"));
    EXPECT_THAT(
        log.With("is not there"),
        ElementsAre(AllOf(
            HasSubstr("GPU:0 is not there, since card 0 cannot be used: "
                      "kernels cannot be loaded there: "),
            HasSubstr(why), HasSubstr("libnvrtc.so.13 of CUDA 13.0"),
            HasSubstr(
                "the driver is for CUDA 13.0; a libnvrtc.so of CUDA 13.0 "
                "or older in MILLRACE_CUDA_LIBRARIES is taken instead"))));
  }
};

TEST_F(OpenCardsTest, OneThatRefusesWhatIsCompiled) {
  ASSERT_EQ(MakeGpus({}, 1)->size(), 1u);  // its code is now in a file
  Control().Reset();
  // That of the file, and what is compiled anew.
  Control().Fail("cuModuleLoadDataEx:1=222;cuModuleLoadDataEx:2=222");
  ExpectFirstLeftOut("the driver is older than the compiler (NVRTC)");
  Control().Reset();
  const auto gpus = MakeGpus({}, 2);
  EXPECT_EQ(gpus->size(), 2u) << "it is asked anew";
}

TEST_F(OpenCardsTest, OneThatIsInUseIsNotAskedAgain) {
  const auto first = *MakeGpus({}, 2);
  Control().Reset();
  const auto second = *MakeGpus({}, 2);
  EXPECT_EQ(second.size(), 2u);
  EXPECT_EQ(Control().Calls("cuModuleLoadDataEx"), 0u);
}

}  // namespace
}  // namespace millrace::cuda

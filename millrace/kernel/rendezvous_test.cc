#include "millrace/kernel/rendezvous.h"

#include <gtest/gtest.h>

namespace millrace {
namespace {

constexpr char kCpu0[] = "/job:w/replica:0/task:0/device:CPU:0";
constexpr char kCpu1[] = "/job:ps/replica:0/task:12/device:CPU:1";

TEST(RendezvousKey, TextAndBack) {
  RendezvousKey key;
  key.send_device = kCpu0;
  key.send_incarnation = 0xab12;
  key.recv_device = kCpu1;
  key.tensor_name = "edge_23_while/mul";
  key.frame_id = 18186195969791715286u;
  key.iteration = 2;
  const std::string text = key.ToString();
  EXPECT_EQ(text, absl::StrCat(kCpu0, ";000000000000ab12;", kCpu1,
                               ";edge_23_while/mul;18186195969791715286:2"));
  const auto parsed = RendezvousKey::Parse(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->ToString(), text);
  EXPECT_EQ(parsed->frame_id, key.frame_id);
  EXPECT_EQ(parsed->send_incarnation, key.send_incarnation);
}

TEST(RendezvousKey, RefusesWhatIsNone) {
  const std::string good =
      absl::StrCat(kCpu0, ";0000000000000001;", kCpu1, ";x;0:0");
  ASSERT_TRUE(RendezvousKey::Parse(good).ok());
  for (const std::string& bad :
       {std::string(), std::string(";;;;"), good + ";",
        good.substr(0, good.size() - 2),
        absl::StrCat(kCpu0, ";1;", kCpu1, ";x;0:0"),
        absl::StrCat(kCpu0, ";000000000000000G;", kCpu1, ";x;0:0"),
        absl::StrCat("/job:w", ";0000000000000001;", kCpu1, ";x;0:0"),
        absl::StrCat(kCpu0, ";0000000000000001;nowhere;x;0:0"),
        absl::StrCat(kCpu0, ";0000000000000001;", kCpu1, ";;0:0"),
        absl::StrCat(kCpu0, ";0000000000000001;", kCpu1, ";x;-1:0"),
        absl::StrCat(kCpu0, ";0000000000000001;", kCpu1, ";x;0:y")}) {
    EXPECT_EQ(RendezvousKey::Parse(bad).status().code(),
              StatusCode::kInvalidArgument)
        << bad;
  }
}

}  // namespace
}  // namespace millrace

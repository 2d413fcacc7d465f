#include "millrace/cluster/trace/trace_event_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "millrace/base/json/json.h"
#include "millrace/base/json/json_text.h"

namespace millrace {
namespace {

// A file in memory, of limited size.
class TextFile final : public WritableFile {
 public:
  explicit TextFile(size_t room = size_t{1} << 30) : room_(room) {}
  Status Append(absl::string_view data) override {
    largest = std::max(largest, data.size());
    if (text.size() + data.size() > room_) {
      return ResourceExhausted("no space left");
    }
    text.append(data.data(), data.size());
    return OkStatus();
  }
  Status Flush() override { return OkStatus(); }
  Status Sync() override { return OkStatus(); }
  Status Close() override { return OkStatus(); }

  std::string text;
  size_t largest = 0;

 private:
  const size_t room_;
};

const Json& Member(const Json& json, absl::string_view key) {
  const Json* member = json.Find(key);
  EXPECT_NE(member, nullptr) << key;
  static const Json kNull;
  return member == nullptr ? kNull : *member;
}

TEST(TraceEventWriter, NoEventsAreAFileToo) {
  TextFile file;
  TraceEventWriter writer(&file);
  ASSERT_TRUE(writer.Finish("").ok());
  const auto json = Json::Parse(file.text);
  ASSERT_TRUE(json.ok()) << json.status() << file.text;
  EXPECT_TRUE(Member(*json, "traceEvents").array()->empty());
}

TEST(TraceEventWriter, EventsHaveTheFormatsFields) {
  TextFile file;
  TraceEventWriter writer(&file);
  const TracePlace ps{.process = 1, .track = 7};
  const TracePlace worker{.process = 2, .track = 8};
  writer.NameProcess(1, "ps \"0\"", 3);
  writer.NameTrack(ps, "CPU:0", 4);
  writer.Slice(ps, "a\xff/b", "node", 1'234'567, 89,
               JsonObjectText().Add("op", "Add").Text());
  writer.ArrowBegin(5, ps, "transfer", "transfer", 1'234'600, "{}");
  writer.ArrowEnd(5, worker, "transfer", "transfer", 1'235'000, "{}");
  ASSERT_TRUE(
      writer.Finish(JsonObjectText().Add("steps", int64_t{1}).Text()).ok());
  const auto json = Json::Parse(file.text);
  ASSERT_TRUE(json.ok()) << json.status() << file.text;
  EXPECT_EQ(*Member(Member(*json, "otherData"), "steps").number(), 1);
  const Json::Array& events = *Member(*json, "traceEvents").array();
  ASSERT_EQ(events.size(), 7u);
  EXPECT_EQ(*Member(events[0], "name").string(), "process_name");
  EXPECT_EQ(*Member(Member(events[0], "args"), "name").string(), "ps \"0\"");
  EXPECT_EQ(*Member(Member(events[3], "args"), "sort_index").number(), 4);
  const Json& slice = events[4];
  EXPECT_EQ(*Member(slice, "ph").string(), "X");
  EXPECT_EQ(*Member(slice, "name").string(), "a\xef\xbf\xbd/b");
  EXPECT_DOUBLE_EQ(*Member(slice, "ts").number(), 1234.567);
  EXPECT_DOUBLE_EQ(*Member(slice, "dur").number(), 0.089);
  EXPECT_EQ(*Member(slice, "pid").number(), 1);
  EXPECT_EQ(*Member(slice, "tid").number(), 7);
  EXPECT_EQ(*Member(Member(slice, "args"), "op").string(), "Add");
  EXPECT_EQ(*Member(events[5], "ph").string(), "s");
  EXPECT_EQ(*Member(events[6], "ph").string(), "f");
  EXPECT_EQ(*Member(events[6], "bp").string(), "e");
  EXPECT_EQ(*Member(events[5], "id").number(),
            *Member(events[6], "id").number());
}

TEST(TraceEventWriter, TimesBeforeTheFirstAreNegative) {
  TextFile file;
  TraceEventWriter writer(&file);
  writer.Slice({}, "early", "node", -1'500, 0, "");
  ASSERT_TRUE(writer.Finish("").ok());
  EXPECT_NE(file.text.find("\"ts\": -1.500"), std::string::npos) << file.text;
}

TEST(TraceEventWriter, HoldsABufferOnlyAndTellsOfAFullDisk) {
  TextFile file;
  TraceEventWriter writer(&file);
  for (int i = 0; i < 10'000; ++i) writer.Slice({}, "name", "node", i, 1, "");
  ASSERT_TRUE(writer.Finish("").ok());
  EXPECT_LT(file.largest, size_t{70'000});
  EXPECT_GT(file.text.size(), 500'000u);

  TextFile full(100'000);
  TraceEventWriter other(&full);
  for (int i = 0; i < 10'000; ++i) other.Slice({}, "name", "node", i, 1, "");
  EXPECT_EQ(other.Finish("").code(), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace millrace

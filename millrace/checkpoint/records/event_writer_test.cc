#include "millrace/checkpoint/records/event_writer.h"

#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "millrace/base/files/memory_files.h"
#include "millrace/checkpoint/records/histogram.h"
#include "millrace/checkpoint/records/record_reader.h"
#include "proto/event/event.pb.h"

namespace millrace {
namespace {

std::vector<tensorflow::Event> ReadEvents(FileSystem* files,
                                          const std::string& path) {
  auto file = *files->NewRandomAccessFile(path);
  RecordReader reader(file.get());
  std::vector<tensorflow::Event> events;
  std::string record;
  while (reader.Read(&record).ok())
    EXPECT_TRUE(events.emplace_back().ParseFromString(record));
  EXPECT_EQ(reader.Read(&record).code(), StatusCode::kOutOfRange);
  return events;
}

TEST(EventWriter, WritesEveryKind) {
  MemoryFiles files;
  auto writer = *EventWriter::Open(&files, "/logs/run",
                                   {.file_suffix = ".x", .hostname = "host"});
  EXPECT_EQ(writer->path().substr(0, 28), "/logs/run/events.out.tfevent");
  EXPECT_EQ(writer->path().substr(writer->path().size() - 7), ".host.x");
  ASSERT_TRUE(writer->AddScalar(3, "loss", 0.5f).ok());
  Histogram histogram;
  histogram.Add(1.0);
  ASSERT_TRUE(writer->AddHistogram(4, "weights", histogram).ok());
  tensorflow::Summary summary;
  summary.add_value()->set_tag("raw");
  ASSERT_TRUE(writer->AddSummaryBytes(5, summary.SerializeAsString()).ok());
  ASSERT_TRUE(
      writer->AddTensor(5, "words", Tensor::Vector<std::string>({"a", "bc"}))
          .ok());
  ASSERT_TRUE(writer->AddGraph("graph").ok());
  ASSERT_TRUE(writer->AddMetaGraph("meta").ok());
  ASSERT_TRUE(
      writer
          ->AddSessionLog(6, SessionLogStatus::kCheckpoint, "/ckpt-6", "saved")
          .ok());
  ASSERT_TRUE(writer->AddRunMetadata(7, "step7", "metadata").ok());
  tensorflow::Event own;
  own.set_step(8);
  own.set_wall_time(1.5);
  ASSERT_TRUE(writer->AddEventBytes(own.SerializeAsString()).ok());
  EXPECT_EQ(writer->AddSummaryBytes(9, "\xff").code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(writer->AddEventBytes("\xff").code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(writer->Close().ok());
  EXPECT_FALSE(writer->AddScalar(9, "late", 1).ok());

  const auto events = ReadEvents(&files, writer->path());
  ASSERT_EQ(events.size(), 10u);
  EXPECT_EQ(events[0].file_version(), "brain.Event:2");
  EXPECT_GT(events[0].wall_time(), 0);
  EXPECT_EQ(events[1].step(), 3);
  EXPECT_EQ(events[1].summary().value(0).tag(), "loss");
  EXPECT_EQ(events[1].summary().value(0).simple_value(), 0.5f);
  EXPECT_EQ(events[2].summary().value(0).histo().num(), 1);
  EXPECT_EQ(events[3].summary().value(0).tag(), "raw");
  EXPECT_EQ(events[4].summary().value(0).tag(), "words");
  const auto& words = events[4].summary().value(0).tensor();
  EXPECT_EQ(words.dtype(), tensorflow::DT_STRING);
  EXPECT_EQ(words.tensor_shape().dim(0).size(), 2);
  EXPECT_EQ(words.string_val(1), "bc");
  EXPECT_EQ(events[5].graph_def(), "graph");
  EXPECT_EQ(events[6].meta_graph_def(), "meta");
  EXPECT_EQ(events[7].session_log().status(),
            tensorflow::SessionLog::CHECKPOINT);
  EXPECT_EQ(events[7].session_log().checkpoint_path(), "/ckpt-6");
  EXPECT_EQ(events[8].tagged_run_metadata().tag(), "step7");
  EXPECT_EQ(events[9].wall_time(), 1.5);
}

TEST(EventWriter, WritersOfOneSecondHaveTheirOwnFiles) {
  MemoryFiles files;
  auto a = *EventWriter::Open(&files, "/logs");
  auto b = *EventWriter::Open(&files, "/logs");
  EXPECT_NE(a->path(), b->path());
  ASSERT_TRUE(a->AddScalar(1, "a", 1).ok());
  ASSERT_TRUE(b->AddScalar(1, "b", 1).ok());
  // Only flushing makes it visible to readers at once.
  ASSERT_TRUE(a->Flush().ok());
  EXPECT_EQ(ReadEvents(&files, a->path()).size(), 2u);
}

TEST(Histogram, LimitsAreTensorFlows) {
  const auto limits = Histogram::Limits();
  ASSERT_EQ(limits.size(), 1551u);
  EXPECT_EQ(limits[775], 0);
  EXPECT_EQ(limits[776], 1e-12);
  EXPECT_EQ(limits[777], 1e-12 * 1.1);
  EXPECT_EQ(limits.front(), -std::numeric_limits<double>::max());
  EXPECT_EQ(limits.back(), std::numeric_limits<double>::max());
  for (size_t i = 1; i < limits.size(); ++i)
    EXPECT_LT(limits[i - 1], limits[i]);
  for (size_t i = 0; i < limits.size(); ++i)
    EXPECT_EQ(limits[i], -limits[limits.size() - 1 - i]);
}

TEST(Histogram, CountsAndCollapses) {
  Histogram histogram;
  for (double value : {0.0, 0.0, 1.0, -2.0, 1e300}) histogram.Add(value);
  tensorflow::HistogramProto proto;
  ASSERT_TRUE(proto.ParseFromString(histogram.Encode()));
  EXPECT_EQ(proto.num(), 5);
  EXPECT_EQ(proto.min(), -2);
  EXPECT_EQ(proto.max(), 1e300);
  EXPECT_EQ(proto.sum(), 1e300);
  // Empty runs between four counted buckets, and before the first.
  EXPECT_EQ(proto.bucket_size(), 8);
  double total = 0;
  for (double count : proto.bucket()) total += count;
  EXPECT_EQ(total, 5);
  EXPECT_EQ(proto.bucket_limit(7), std::numeric_limits<double>::max());
  ASSERT_TRUE(proto.ParseFromString(histogram.Encode(/*keep_empty=*/true)));
  EXPECT_EQ(proto.bucket_size(), 1551);

  Histogram other;
  other.Add(5, 3);
  other.Merge(histogram);
  EXPECT_EQ(other.count(), 8);
  EXPECT_EQ(other.min(), -2);

  Histogram empty;
  ASSERT_TRUE(proto.ParseFromString(empty.Encode()));
  EXPECT_EQ(proto.bucket_size(), 1);
  EXPECT_EQ(proto.num(), 0);
}

}  // namespace
}  // namespace millrace

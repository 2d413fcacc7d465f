#include "millrace/ops/summary_writer/db_value.h"

#include <bit>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/checkpoint/records/event_writer.h"
#include "millrace/ops/proto/wire_values.h"
#include "millrace/tensor/buffer.h"
#include "millrace/tensor/wire.h"

namespace millrace::ops {
namespace {

// Calls f(number of the field, content) for each field of a message. Returns
// DATA_LOSS if it is malformed.
template <class F>
Status ForEachField(absl::string_view message, F f) {
  while (!message.empty()) {
    WireTag tag;
    WireContent content;
    if (!TakeTag(&message, &tag) || !TakeContent(tag, &message, &content)) {
      return DataLoss("Bad tf.compat.v1.Summary binary proto tensor string");
    }
    MR_RETURN_IF_ERROR(f(tag.number, content));
  }
  return OkStatus();
}

Status ReadMetadata(absl::string_view metadata, DbValue* value) {
  return ForEachField(metadata, [&](uint32_t field, const WireContent& c) {
    if (field == 2) value->display_name = std::string(c.bytes);
    if (field == 3) value->description = std::string(c.bytes);
    if (field != 1) return OkStatus();
    return ForEachField(c.bytes, [&](uint32_t part, const WireContent& p) {
      if (part == 1) value->plugin = std::string(p.bytes);
      if (part == 2) value->plugin_data = std::string(p.bytes);
      return OkStatus();
    });
  });
}

Status ReadImage(absl::string_view image, DbValue* value) {
  uint64_t height = 0, width = 0;
  std::string png;
  MR_RETURN_IF_ERROR(
      ForEachField(image, [&](uint32_t field, const WireContent& c) {
        if (field == 1) height = c.bits;
        if (field == 2) width = c.bits;
        if (field == 4) png = std::string(c.bytes);
        return OkStatus();
      }));
  value->plugin = "images";
  value->tensor = Tensor::Vector<std::string>(
      {absl::StrCat(width), absl::StrCat(height), png});
  return OkStatus();
}

Status ReadAudio(absl::string_view audio, DbValue* value) {
  std::string wav;
  MR_RETURN_IF_ERROR(
      ForEachField(audio, [&](uint32_t field, const WireContent& c) {
        if (field == 4) wav = std::string(c.bytes);
        return OkStatus();
      }));
  value->plugin = "audio";
  value->tensor = Tensor::Of<std::string>(TensorShape({1, 2}), {wav, ""});
  return OkStatus();
}

// Appends the doubles of a field, which is packed or not.
void AppendDoubles(const WireContent& c, std::vector<double>* out) {
  if (c.bytes.data() == nullptr) {
    out->push_back(std::bit_cast<double>(c.bits));
    return;
  }
  absl::string_view rest = c.bytes;
  uint64_t bits = 0;
  while (GetFixed64(&rest, &bits)) out->push_back(std::bit_cast<double>(bits));
}

Status ReadHistogram(absl::string_view histogram, DbValue* value) {
  std::vector<double> limits, counts;
  MR_RETURN_IF_ERROR(
      ForEachField(histogram, [&](uint32_t field, const WireContent& c) {
        if (field == 6) AppendDoubles(c, &limits);
        if (field == 7) AppendDoubles(c, &counts);
        return OkStatus();
      }));
  if (limits.size() != counts.size()) {
    return DataLoss("a histogram has ", limits.size(), " limits and ",
                    counts.size(), " counts");
  }
  const auto buckets = static_cast<int64_t>(limits.size());
  value->plugin = "histograms";
  value->tensor = Tensor::New(DataType::kDouble, TensorShape({buckets, 3}));
  double* row = value->tensor.mutable_flat<double>().data();
  double left = std::numeric_limits<double>::min();  // as in stock
  for (size_t i = 0; i < limits.size(); ++i, row += 3) {
    row[0] = left;
    row[1] = left = limits[i];
    row[2] = counts[i];
  }
  return OkStatus();
}

Status ReadValue(absl::string_view bytes, DbValue* value) {
  return ForEachField(bytes, [&](uint32_t field, const WireContent& c) {
    switch (field) {
      case 1:
        value->tag = std::string(c.bytes);
        break;
      case 2:
        value->plugin = "scalars";
        value->tensor = Tensor::Scalar<float>(
            std::bit_cast<float>(static_cast<uint32_t>(c.bits)));
        break;
      case 4:
        return ReadImage(c.bytes, value);
      case 5:
        return ReadHistogram(c.bytes, value);
      case 6:
        return ReadAudio(c.bytes, value);
      case 8: {
        StatusOr<Tensor> tensor = DecodeTensor(c.bytes, HostAllocator());
        MR_RETURN_IF_ERROR(tensor.status());
        value->tensor = *std::move(tensor);
        break;
      }
      case 9:
        return ReadMetadata(c.bytes, value);
      default:
        break;
    }
    return OkStatus();
  });
}

}  // namespace

StatusOr<std::vector<DbValue>> DbValuesOf(absl::string_view summary) {
  std::vector<DbValue> values;
  MR_RETURN_IF_ERROR(
      ForEachField(summary, [&](uint32_t field, const WireContent& c) {
        if (field != 1) return OkStatus();
        DbValue value;
        MR_RETURN_IF_ERROR(ReadValue(c.bytes, &value));
        if (value.tensor.valid()) values.push_back(std::move(value));
        return OkStatus();
      }));
  return values;
}

StatusOr<DbEvent> DbEventOf(absl::string_view event) {
  MR_RETURN_IF_ERROR(CheckSerializedEvent(event));
  DbEvent parts;
  MR_RETURN_IF_ERROR(
      ForEachField(event, [&](uint32_t field, const WireContent& c) {
        if (field == 1) parts.wall_time = std::bit_cast<double>(c.bits);
        if (field == 2) parts.step = static_cast<int64_t>(c.bits);
        if (field == 4) parts.graph = c.bytes;
        if (field == 5) parts.summary = c.bytes;
        return OkStatus();
      }));
  return parts;
}

}  // namespace millrace::ops

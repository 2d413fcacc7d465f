#include "millrace/train/meta_graph.h"

#include <cstring>
#include <utility>

#include "millrace/client/variables/variables.h"
#include "millrace/graph/graph_proto.h"
#include "millrace/train/input/queue_runner.h"

namespace millrace::train {
namespace {

constexpr uint32_t kVarint = 0;
constexpr uint32_t kBytes = 2;
constexpr uint32_t kFixed32 = 5;
constexpr uint64_t kFormatV2 = 2;  // SaverDef.CheckpointFormatVersion
// The version by which a reader interprets the graph's ops.
constexpr char kTensorFlowVersion[] = "1.15.0";

void PutVarint(std::string* out, uint64_t v) {
  for (; v >= 0x80; v >>= 7) out->push_back(static_cast<char>(v | 0x80));
  out->push_back(static_cast<char>(v));
}
void PutTag(std::string* out, uint32_t field, uint32_t type) {
  PutVarint(out, field << 3 | type);
}
void PutNumber(std::string* out, uint32_t field, uint64_t v) {
  PutTag(out, field, kVarint);
  PutVarint(out, v);
}
void PutText(std::string* out, uint32_t field, absl::string_view text) {
  PutTag(out, field, kBytes);
  PutVarint(out, text.size());
  out->append(text.data(), text.size());
}
void PutFloat(std::string* out, uint32_t field, float v) {
  PutTag(out, field, kFixed32);
  uint32_t bits;
  std::memcpy(&bits, &v, sizeof(bits));
  for (int shift = 0; shift < 32; shift += 8) {
    out->push_back(static_cast<char>(bits >> shift));
  }
}

std::string SaveSliceDefOf(const SaveSlice& slice) {
  std::string def;
  PutText(&def, 1, slice.full_name);
  for (const auto& [field, list] :
       {std::pair(2, &slice.full_shape), std::pair(3, &slice.offset),
        std::pair(4, &slice.shape)}) {
    std::string numbers;
    for (const int64_t v : *list) PutVarint(&numbers, static_cast<uint64_t>(v));
    PutText(&def, static_cast<uint32_t>(field), numbers);
  }
  return def;
}

std::string VariableDefOf(const ops::Variable& variable) {
  std::string def;
  PutText(&def, 1, variable.name());
  PutText(&def, 2, variable.initializer().name());
  PutText(&def, 3, variable.value().name());
  if (const SaveSlice* slice = variable.save_slice()) {
    PutText(&def, 4, SaveSliceDefOf(*slice));
  }
  if (variable.is_resource()) PutNumber(&def, 5, 1);
  if (variable.initial_value()) {
    PutText(&def, 6, variable.initial_value().name());
  }
  if (variable.trainable()) PutNumber(&def, 7, 1);
  return def;
}

std::string QueueRunnerDefOf(const QueueRunner& runner) {
  const QueueRunner::Parts parts = runner.parts();
  std::string def;
  PutText(&def, 1, parts.queue_name);
  for (const std::string& name : parts.enqueue_op_names) {
    PutText(&def, 2, name);
  }
  PutText(&def, 3, parts.close_op_name);
  PutText(&def, 4, parts.cancel_op_name);
  std::string codes;
  for (const StatusCode code : parts.queue_closed_codes) {
    PutVarint(&codes, static_cast<uint64_t>(code));
  }
  PutText(&def, 5, codes);
  return def;
}

// Returns a CollectionDef, empty if nothing of the collection can be saved.
std::string CollectionOf(const ClientGraph& graph, const std::string& name) {
  std::string list;
  std::string collection;
  for (const auto& v : graph.Collection<ops::Variable>(name)) {
    PutText(&list, 1, VariableDefOf(v));
  }
  for (const auto& runner : graph.Collection<QueueRunner>(name)) {
    PutText(&list, 1, QueueRunnerDefOf(runner));
  }
  if (!list.empty()) {
    PutText(&collection, 2, list);  // bytes_list
    return collection;
  }
  for (const auto& op : graph.Collection<Operation>(name)) {
    PutText(&list, 1, op.name());
  }
  for (const auto& output : graph.Collection<Output>(name)) {
    PutText(&list, 1, output.name());
  }
  if (!list.empty()) PutText(&collection, 1, list);  // node_list
  return collection;
}

std::string SaverDefOf(const SaverNames& saver) {
  std::string def;
  PutText(&def, 1, saver.filename_tensor);
  PutText(&def, 2, saver.save_tensor);
  PutText(&def, 3, saver.restore_op);
  PutNumber(&def, 4, static_cast<uint64_t>(saver.max_to_keep));
  PutNumber(&def, 5, 1);  // sharded
  PutFloat(&def, 6, static_cast<float>(saver.keep_every_n_hours));
  PutNumber(&def, 7, kFormatV2);
  return def;
}

}  // namespace

std::string SerializeMetaGraph(const ClientGraph& graph,
                               const SaverNames& saver) {
  std::string info;
  PutText(&info, 5, kTensorFlowVersion);
  std::string meta;
  PutText(&meta, 1, info);
  PutText(&meta, 2, SerializeGraphDef(graph.Export()));
  PutText(&meta, 3, SaverDefOf(saver));
  for (const std::string& name : graph.CollectionNames()) {
    const std::string collection = CollectionOf(graph, name);
    if (collection.empty()) continue;
    std::string entry;
    PutText(&entry, 1, name);
    PutText(&entry, 2, collection);
    PutText(&meta, 4, entry);
  }
  return meta;
}

}  // namespace millrace::train

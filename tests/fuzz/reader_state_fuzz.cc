// Rooms: client session ops.grad ops.cpu ops.gpu ops.op
// Any bytes as the state of a reader: refused, or restored so that what the
// reader then saves is restored as the same.
#include <cstdint>

#include "millrace/base/coding.h"
#include "tests/fuzz/local_graph.h"
#include "tests/fuzz/seeds.h"

namespace {

using namespace millrace;

LocalGraph& Readers() {
  static LocalGraph* const graph = [] {
    GraphDef def;
    const auto node = [&](const char* name, const char* op,
                          std::vector<std::string> inputs) {
      def.nodes.push_back({name, op, std::move(inputs), "", {}});
    };
    def.nodes = {
        {"state", "Placeholder", {}, "", {{"dtype", DataType::kString}}}};
    node("reader", "IdentityReaderV2", {});
    node("whole", "WholeFileReaderV2", {});
    node("restore", "ReaderRestoreStateV2", {"reader", "state"});
    node("restore_whole", "ReaderRestoreStateV2", {"whole", "state"});
    node("save", "ReaderSerializeStateV2", {"reader"});
    node("records", "ReaderNumRecordsProducedV2", {"reader"});
    node("units", "ReaderNumWorkUnitsCompletedV2", {"reader"});
    return new LocalGraph(def);
  }();
  return *graph;
}

std::string StateOf(int64_t started, int64_t finished, int64_t records,
                    const std::string& work) {
  std::string state;
  for (const auto& [tag, value] :
       {std::pair('\x08', started), std::pair('\x10', finished),
        std::pair('\x18', records)}) {
    state.push_back(tag);
    PutVarint64(&state, static_cast<uint64_t>(value));
  }
  state.push_back('\x22');
  PutVarint64(&state, work.size());
  return state + work;
}

}  // namespace

std::vector<std::string> millrace::FuzzSeeds() {
  return {"",
          StateOf(1, 1, 1, "file"),
          StateOf(0, 0, 0, ""),
          StateOf(2, 1, 5, "file"),
          StateOf(-1, -1, -1, "x"),
          StateOf(INT64_MAX, INT64_MAX, INT64_MAX, std::string(300, 'w'))};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Tensor state = Tensor::Scalar<std::string>(
      std::string(reinterpret_cast<const char*>(data), size));
  LocalGraph& readers = Readers();
  CheckRefusal(readers.Run({{"state", state}}, {}, {"restore_whole"}).status());
  const Status status =
      readers.Run({{"state", state}}, {}, {"restore"}).status();
  CheckRefusal(status);
  if (!status.ok()) return 0;
  const std::vector<std::string> all = {"save", "records", "units"};
  const auto first = readers.Run({}, all);
  MR_CHECK(first.ok(), first.status().message());
  MR_CHECK(readers.Run({{"state", (*first)[0]}}, {}, {"restore"}).ok());
  const auto second = readers.Run({}, all);
  MR_CHECK(second.ok(), second.status().message());
  for (size_t i = 0; i < all.size(); ++i) {
    MR_CHECK(IdenticalTensors((*first)[i], (*second)[i]));
  }
  MR_CHECK((*first)[1].scalar<int64_t>() >= 0);
  return 0;
}

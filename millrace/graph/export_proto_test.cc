// Tests the encoding of graphs against the protobuf library.
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "millrace/graph/graph_proto.h"
#include "proto/graph/graph.pb.h"

namespace millrace {
namespace {

using testing::HasSubstr;

constexpr char kGraph[] = R"(
  node {
    name: "c" op: "Const" device: "/job:a"
    attr { key: "dtype" value { type: DT_INT32 } }
    attr { key: "value" value { tensor {
      dtype: DT_INT32 tensor_shape { dim { size: 2 } } tensor_content: "\001\000\000\000\002\000\000\000" } } }
  }
  node {
    name: "n" op: "Op" input: "c" input: "c:1" input: "^c"
    attr { key: "s" value { s: "\377\000x" } }
    attr { key: "empty" value { s: "" } }
    attr { key: "i" value { i: -5 } }
    attr { key: "zero" value { i: 0 } }
    attr { key: "f" value { f: 1.5 } }
    attr { key: "b" value { b: false } }
    attr { key: "type" value { type: DT_FLOAT } }
    attr { key: "shape" value { shape { dim { size: -1 } dim { } dim { size: 3 } } } }
    attr { key: "unknown" value { shape { unknown_rank: true } } }
    attr { key: "placeholder" value { placeholder: "T" } }
    attr { key: "func" value { func { name: "f" attr { key: "T" value { type: DT_HALF } } } } }
    attr { key: "none" value { list { } } }
    attr { key: "ls" value { list { s: "a" s: "" } } }
    attr { key: "li" value { list { i: 1 i: -1 } } }
    attr { key: "lf" value { list { f: 1 f: 2.5 } } }
    attr { key: "lb" value { list { b: true b: false } } }
    attr { key: "lt" value { list { type: DT_FLOAT type: DT_STRING } } }
    attr { key: "lh" value { list { shape { } shape { dim { size: 1 } } } } }
    attr { key: "lx" value { list { tensor { dtype: DT_STRING tensor_shape { } string_val: "q" } } } }
    attr { key: "lfn" value { list { func { name: "g" } } } }
    attr { key: "nothing" value { } }
  }
  library {
    function {
      signature {
        name: "f" is_stateful: true
        input_arg { name: "x" type_attr: "T" }
        input_arg { name: "y" type: DT_FLOAT number_attr: "N" is_ref: true }
        output_arg { name: "z" type_list_attr: "L" }
        attr { name: "T" type: "type" default_value { type: DT_FLOAT }
               allowed_values { list { type: DT_FLOAT type: DT_HALF } } }
        attr { name: "N" type: "int" has_minimum: true minimum: 2 }
        control_output: "ctl"
      }
      node_def { name: "a" op: "NoOp" }
      ret { key: "z" value: "a:o:0" }
      control_ret { key: "ctl" value: "a" }
      attr { key: "_x" value { b: true } }
      arg_attr { key: 1 value { attr { key: "_y" value { i: 2 } } } }
      resource_arg_unique_id { key: 1 value: 7 }
    }
    gradient { function_name: "f" gradient_func: "g" }
  }
  versions { producer: 2474 min_consumer: 12 bad_consumers: 3 bad_consumers: 4 }
)";

tensorflow::GraphDef FromText(const std::string& text) {
  tensorflow::GraphDef def;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &def));
  return def;
}

TEST(GraphProto, RoundTripAgreesWithTheLibrary) {
  const tensorflow::GraphDef expected = FromText(kGraph);
  const auto def = ParseGraphDef(expected.SerializeAsString());
  ASSERT_TRUE(def.ok()) << def.status();
  EXPECT_EQ(
      def->nodes[0].attrs.Find("value")->get<Tensor>()->flat<int32_t>()[1], 2);
  EXPECT_EQ(def->nodes[1].attrs.Find("shape")->DebugString(), "[?,0,3]");
  EXPECT_EQ(def->nodes[1].attrs.Find("none")->kind(), "list");
  EXPECT_FALSE(def->nodes[1].attrs.Find("nothing")->has_value());
  EXPECT_EQ(*def->library.functions[0].signature.attrs[1].minimum, 2);
  tensorflow::GraphDef actual;
  ASSERT_TRUE(actual.ParseFromString(SerializeGraphDef(*def)));
  google::protobuf::util::MessageDifferencer differ;
  std::string difference;
  differ.ReportDifferencesToString(&difference);
  EXPECT_TRUE(differ.Compare(expected, actual)) << difference;
  EXPECT_EQ(SerializeGraphDef(*ParseGraphDef(SerializeGraphDef(*def))),
            SerializeGraphDef(*def));
}

TEST(GraphProto, OldGraphsHaveTheirVersionElsewhere) {
  EXPECT_EQ(ParseGraphDef(FromText("version: 21").SerializeAsString())
                ->versions.producer,
            21);
}

TEST(GraphProto, NodesOfOneKindShareAttributes) {
  tensorflow::GraphDef g;
  for (int i = 0; i < 10; ++i) {
    auto* n = g.add_node();
    n->set_name("n");
    (*n->mutable_attr())["T"].set_type(tensorflow::DT_FLOAT);
  }
  const auto def = ParseGraphDef(g.SerializeAsString());
  EXPECT_EQ(def->nodes[0].attrs.identity(), def->nodes[9].attrs.identity());
}

TEST(GraphProto, BigConstantsAreNotCopied) {
  const Tensor big = Tensor::Zeros(DataType::kFloat, TensorShape({1 << 16}));
  GraphDef def;
  def.nodes.push_back({"c", "Const", {}, "", {{"value", big}}});
  const ByteChunks bytes = EncodeGraphDef(def);
  EXPECT_GE(bytes.chunks().size(), 2u);
  const auto back = ParseGraphDef(ChunkReader(bytes));
  const Tensor& tensor = *back->nodes[0].attrs.Find("value")->get<Tensor>();
  EXPECT_EQ(tensor.data(), big.data());
  EXPECT_TRUE(ParseGraphDef(bytes.Flatten()).ok());
}

// The rewriting of a stock master numbers the unknown dimensions in its
// annotations.
TEST(GraphProto, InputShapesOfStocksRewritingAreLeftOut) {
  const auto def = ParseGraphDef(
      FromText(
          R"(node { name: "n" op: "Op" attr { key: "_input_shapes" value { list { shape { dim { size: -4 } dim { size: 20 } } } } } })")
          .SerializeAsString());
  ASSERT_TRUE(def.ok()) << def.status();
  EXPECT_EQ(def->nodes[0].attrs.Find("_input_shapes"), nullptr);
}

// Which op reads them is known where the node's schema is.
TEST(GraphProto, ElementShapesThatAreNoneAreReadWithTheirError) {
  const auto def = ParseGraphDef(
      FromText(
          R"(node { name: "n" op: "Op" attr { key: "output_shapes" value { list { shape { dim { size: -2 } dim { size: 20 } } shape { dim { size: 1099511627776 } dim { size: 1099511627776 } } shape { unknown_rank: true } } } } })")
          .SerializeAsString());
  ASSERT_TRUE(def.ok()) << def.status();
  const AttrMap& attrs = def->nodes[0].attrs;
  EXPECT_EQ(*attrs.Find(kElementShapesAttr)->get<AttrValue::ShapeList>(),
            (AttrValue::ShapeList{PartialShape({-1, 20}),
                                  PartialShape({-1, -1}), PartialShape()}));
  EXPECT_THAT(*attrs.Find(kUnfitShapesAttr)->get<std::string>(),
              HasSubstr("below -1 (where -1 means unknown)\n\t for attr "
                        "'output_shapes'"));
}

TEST(GraphProto, ErrorsNameNodeAndAttribute) {
  const auto error = [](const std::string& text) {
    const auto def = ParseGraphDef(FromText(text).SerializeAsString());
    EXPECT_EQ(def.status().code(), StatusCode::kInvalidArgument);
    return std::string(def.status().message());
  };
  EXPECT_THAT(
      error(
          R"(node { name: "n" attr { key: "v" value { tensor { dtype: DT_FLOAT_REF tensor_shape {} } } } })"),
      HasSubstr("\n\t for attr 'v'; NodeDef: {{node n}}"));
  EXPECT_THAT(
      error(
          R"(node { name: "n" attr { key: "v" value { shape { dim { size: -2 } } } } })"),
      HasSubstr("\n\t for attr 'v'; NodeDef: {{node n}}"));
  EXPECT_THAT(
      error(
          R"(node { name: "n" attr { key: "v" value { list { i: 1 s: "x" } } } })"),
      HasSubstr("elements of two kinds"));
  EXPECT_THAT(error("node { }"), HasSubstr("Node ''"));
  std::string nested = "type: DT_FLOAT";
  for (int i = 0; i < kMaxAttrDepth; ++i) {
    nested = absl::StrCat("func { name: 'f' attr { key: 'a' value { ", nested,
                          " } } }");
  }
  const auto with = [](const std::string& v) {
    return absl::StrCat("node { name: 'n' attr { key: 'a' value { ", v,
                        " } } }");
  };
  EXPECT_TRUE(ParseGraphDef(FromText(with(nested)).SerializeAsString()).ok());
  EXPECT_THAT(error(with("func { name: 'f' attr { key: 'a' value { " + nested +
                         " } } }")),
              HasSubstr("nest deeper than 16"));
}

TEST(GraphProto, TruncatedAndChangedBytesNeverCrash) {
  const std::string bytes = FromText(kGraph).SerializeAsString();
  for (size_t n = 0; n < bytes.size(); ++n) {
    (void)ParseGraphDef(bytes.substr(0, n));
    for (char c : {'\x00', '\xff', '\x0a', '\x80'}) {
      std::string changed = bytes;
      changed[n] = c;
      const auto def = ParseGraphDef(changed);
      if (def.ok()) (void)SerializeGraphDef(*def);
    }
  }
}

}  // namespace
}  // namespace millrace

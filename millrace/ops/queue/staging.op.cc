#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

#define MR_STAGING_LIMITS "capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; "

#define MR_STAGING_NAME "; container: string = ''; shared_name: string = ''"

#define MR_STAGING_SOME \
  MR_STAGING_LIMITS "dtypes: list(type) >= 1" MR_STAGING_NAME

#define MR_STAGING_ANY MR_STAGING_LIMITS "dtypes: list(type)" MR_STAGING_NAME

#define MR_MAP_STAGE_ATTRS \
  MR_STAGING_LIMITS        \
  "dtypes: list(type); fake_dtypes: list(type) >= 1" MR_STAGING_NAME

constexpr OpFields kMapStage = {
    .inputs = "key: int64, indices: int32, values: fake_dtypes",
    .attrs = MR_MAP_STAGE_ATTRS,
    .flags = kStateful | kKeepsInputs,
    .shape = shapes::NoOutputs,
    .doc = "Adds parts of a tuple under a key.",
};

constexpr OpFields kMapPeek = {
    .inputs = "key: int64, indices: int32",
    .outputs = "values: dtypes",
    .attrs = MR_STAGING_SOME,
    .flags = kStateful,
    .shape = shapes::Unknown,
    .doc = "Parts of the tuple under a key; waits for it.",
};

constexpr OpFields kMapUnstage = {
    .inputs = "key: int64, indices: int32",
    .outputs = "values: dtypes",
    .attrs = MR_STAGING_SOME,
    .flags = kStateful,
    .shape = shapes::Unknown,
    .doc = "Takes parts of the tuple under a key; waits for it.",
};

constexpr OpFields kMapUnstageNoKey = {
    .inputs = "indices: int32",
    .outputs = "key: int64, values: dtypes",
    .attrs = MR_STAGING_SOME,
    .flags = kStateful,
    .shape = shapes::Unknown,
    .doc = "Takes parts of the tuple with the smallest key.",
};

constexpr OpFields kMapSize = {
    .outputs = "size: int32",
    .attrs = MR_STAGING_ANY,
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "Returns the number of complete tuples.",
};

constexpr OpFields kMapIncompleteSize = {
    .outputs = "size: int32",
    .attrs = MR_STAGING_ANY,
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "Returns the number of incomplete tuples.",
};

constexpr OpFields kMapClear = {
    .attrs = MR_STAGING_ANY,
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc = "Drops all tuples.",
};

}  // namespace

MR_OP(Stage){
    .inputs = "values: dtypes",
    .attrs = MR_STAGING_SOME,
    .flags = kStateful | kKeepsInputs,
    .shape = shapes::NoOutputs,
    .doc = "Adds a tuple to a staging area; waits while it is full.",
};

MR_OP(Unstage){
    .outputs = "values: dtypes",
    .attrs = MR_STAGING_SOME,
    .flags = kStateful,
    .shape = shapes::Unknown,
    .doc = "Takes the oldest tuple; waits while there is none.",
};

MR_OP(StagePeek){
    .inputs = "index: int32",
    .outputs = "values: dtypes",
    .attrs = MR_STAGING_SOME,
    .flags = kStateful,
    .shape = shapes::Unknown,
    .doc = "The index-th oldest tuple; waits until it is there.",
};

MR_OP(StageSize){
    .outputs = "size: int32",
    .attrs = MR_STAGING_ANY,
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "Returns the number of tuples.",
};

MR_OP(StageClear){
    .attrs = MR_STAGING_ANY,
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc = "Drops all tuples.",
};

MR_OP(MapStage)(kMapStage);

MR_OP(OrderedMapStage)(kMapStage);

MR_OP(MapPeek)(kMapPeek);

MR_OP(OrderedMapPeek)(kMapPeek);

MR_OP(MapUnstage)(kMapUnstage);

MR_OP(OrderedMapUnstage)(kMapUnstage);

MR_OP(MapUnstageNoKey)(kMapUnstageNoKey);

MR_OP(OrderedMapUnstageNoKey)(kMapUnstageNoKey);

MR_OP(MapSize)(kMapSize);

MR_OP(OrderedMapSize)(kMapSize);

MR_OP(MapIncompleteSize)(kMapIncompleteSize);

MR_OP(OrderedMapIncompleteSize)(kMapIncompleteSize);

MR_OP(MapClear)(kMapClear);

MR_OP(OrderedMapClear)(kMapClear);

}  // namespace millrace::ops

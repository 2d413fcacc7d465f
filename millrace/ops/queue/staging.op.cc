#include "millrace/graph/shape_context.h"

namespace millrace::ops {

#define MR_STAGING_LIMITS "capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; "
#define MR_STAGING_NAME "; container: string = ''; shared_name: string = ''"
#define MR_STAGING_SOME \
  MR_STAGING_LIMITS "dtypes: list(type) >= 1" MR_STAGING_NAME
#define MR_STAGING_ANY MR_STAGING_LIMITS "dtypes: list(type)" MR_STAGING_NAME

#define MR_STAGING_FIELDS(ins, outs, attributes, function, text)             \
  {                                                                          \
    .inputs = ins, .outputs = outs, .attrs = attributes, .flags = kStateful, \
    .shape = function, .doc = text,                                          \
  }

MR_OP(Stage)
MR_STAGING_FIELDS("values: dtypes", "", MR_STAGING_SOME, shapes::NoOutputs,
                  "Adds a tuple to a staging area; waits while it is full.");
MR_OP(Unstage)
MR_STAGING_FIELDS("", "values: dtypes", MR_STAGING_SOME, shapes::Unknown,
                  "Takes the oldest tuple; waits while there is none.");
MR_OP(StagePeek)
MR_STAGING_FIELDS("index: int32", "values: dtypes", MR_STAGING_SOME,
                  shapes::Unknown,
                  "The index-th oldest tuple; waits until it is there.");
MR_OP(StageSize)
MR_STAGING_FIELDS("", "size: int32", MR_STAGING_ANY, shapes::Scalar,
                  "How many tuples there are.");
MR_OP(StageClear)
MR_STAGING_FIELDS("", "", MR_STAGING_ANY, shapes::NoOutputs,
                  "Drops all tuples.");

#define MR_MAP_STAGE_ATTRS \
  MR_STAGING_LIMITS        \
  "dtypes: list(type); fake_dtypes: list(type) >= 1" MR_STAGING_NAME

MR_OP(MapStage)
MR_STAGING_FIELDS("key: int64, indices: int32, values: fake_dtypes", "",
                  MR_MAP_STAGE_ATTRS, shapes::NoOutputs,
                  "Adds parts of a tuple under a key.");
MR_OP(MapPeek)
MR_STAGING_FIELDS("key: int64, indices: int32", "values: dtypes",
                  MR_STAGING_SOME, shapes::Unknown,
                  "Parts of the tuple under a key; waits for it.");
MR_OP(MapUnstage)
MR_STAGING_FIELDS("key: int64, indices: int32", "values: dtypes",
                  MR_STAGING_SOME, shapes::Unknown,
                  "Takes parts of the tuple under a key; waits for it.");
MR_OP(MapUnstageNoKey)
MR_STAGING_FIELDS("indices: int32", "key: int64, values: dtypes",
                  MR_STAGING_SOME, shapes::Unknown,
                  "Takes parts of the tuple with the smallest key.");
MR_OP(MapSize)
MR_STAGING_FIELDS("", "size: int32", MR_STAGING_ANY, shapes::Scalar,
                  "How many complete tuples there are.");
MR_OP(MapIncompleteSize)
MR_STAGING_FIELDS("", "size: int32", MR_STAGING_ANY, shapes::Scalar,
                  "How many incomplete tuples there are.");
MR_OP(MapClear)
MR_STAGING_FIELDS("", "", MR_STAGING_ANY, shapes::NoOutputs,
                  "Drops all tuples.");
MR_OP(OrderedMapStage)
MR_STAGING_FIELDS("key: int64, indices: int32, values: fake_dtypes", "",
                  MR_MAP_STAGE_ATTRS, shapes::NoOutputs,
                  "Adds parts of a tuple under a key.");
MR_OP(OrderedMapPeek)
MR_STAGING_FIELDS("key: int64, indices: int32", "values: dtypes",
                  MR_STAGING_SOME, shapes::Unknown,
                  "Parts of the tuple under a key; waits for it.");
MR_OP(OrderedMapUnstage)
MR_STAGING_FIELDS("key: int64, indices: int32", "values: dtypes",
                  MR_STAGING_SOME, shapes::Unknown,
                  "Takes parts of the tuple under a key; waits for it.");
MR_OP(OrderedMapUnstageNoKey)
MR_STAGING_FIELDS("indices: int32", "key: int64, values: dtypes",
                  MR_STAGING_SOME, shapes::Unknown,
                  "Takes parts of the tuple with the smallest key.");
MR_OP(OrderedMapSize)
MR_STAGING_FIELDS("", "size: int32", MR_STAGING_ANY, shapes::Scalar,
                  "How many complete tuples there are.");
MR_OP(OrderedMapIncompleteSize)
MR_STAGING_FIELDS("", "size: int32", MR_STAGING_ANY, shapes::Scalar,
                  "How many incomplete tuples there are.");
MR_OP(OrderedMapClear)
MR_STAGING_FIELDS("", "", MR_STAGING_ANY, shapes::NoOutputs,
                  "Drops all tuples.");

}  // namespace millrace::ops

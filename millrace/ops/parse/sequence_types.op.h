// The attributes of ops on sequence examples, except for ragged features.
#pragma once

#define MR_SEQUENCE_TYPES                                               \
  "context_sparse_types: list({float, int64, string}) >= 0 = []; "      \
  "Tcontext_dense: list({float, int64, string}) >= 0 = []; "            \
  "feature_list_dense_types: list({float, int64, string}) >= 0 = []; "  \
  "context_dense_shapes: list(shape) >= 0 = []; "                       \
  "feature_list_sparse_types: list({float, int64, string}) >= 0 = []; " \
  "feature_list_dense_shapes: list(shape) >= 0 = []"

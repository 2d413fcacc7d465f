"""What a server must survive: tensors without elements and with dimensions that nothing could hold, and sizes whose products overflow."""

import pytest

pytest.importorskip("grpc")
import raw_client as raw  # noqa: E402
from attacked_cluster import BAD, Code, cluster, refuses, wire  # noqa: E402, F401

FLOAT, DOUBLE, INT32, INT64 = (raw.type_of(t) for t in (raw.FLOAT, 2, raw.INT32, raw.INT64))
BOOL, UINT8, STRING = raw.type_of(10), raw.type_of(4), raw.type_of(raw.STRING)
HUGE = 1 << 62


def empty(name, dtype, *dims):
  return raw.const(name, raw.tensor(dtype, dims))


def ints(name, *values):
  return raw.const(name, raw.tensor(raw.INT32, (len(values),), int_val=values))


def longs(name, *values):
  return raw.const(name, raw.tensor(raw.INT64, (len(values),), int64_val=values))


def filled(name, attr, dtype, value, *dims):
  """An array that a step makes, so that it belongs to its reader alone."""
  return [
    raw.const(name + "/value", raw.tensor(dtype, **{value: [1]})),
    ints(name + "/dims", *dims),
    raw.node(name, "Fill", name + "/dims", name + "/value", T=attr, index_type=INT32),
  ]


NODES = {
  # The bytes of the result are those of one operand, by an overflow.
  "SelectV2": [
    *filled("c", BOOL, 10, "bool_val", 2095105, 1, 1),
    *filled("t", DOUBLE, 2, "double_val", 1, 524288, 1),
    *filled("e", DOUBLE, 2, "double_val", 1, 1, 2099201),
    raw.node("a", "SelectV2", "c", "t", "e", T=DOUBLE),
  ],
  "SparseReshape": [
    empty("x", raw.INT64, HUGE, 0),
    empty("from", raw.INT64, 0),
    longs("to", 1, 1, 1, 1),
    raw.node("a", "SparseReshape", "x", "from", "to"),
  ],
  "Fingerprint": [
    empty("x", 4, 1 << 60, 0),
    raw.const("how", b"farmhash64"),
    raw.node("a", "Fingerprint", "x", "how", T=UINT8),
  ],
  "SparseToDense": [
    empty("x", raw.INT64, 1 << 60, 0),
    empty("shape", raw.INT64, 0),
    raw.const("v", 1.0),
    raw.node("a", "SparseToDense", "x", "shape", "v", "v", T=FLOAT, Tindices=INT64, validate_indices=True),
  ],
  "CropAndResizeGradBoxes": [
    empty("g", raw.FLOAT, 1, 1 << 31, 1 << 31, 0),
    empty("i", raw.FLOAT, 1, 1, 1, 0),
    raw.const("boxes", raw.tensor(raw.FLOAT, (1, 4), float_val=[0, 0, 1, 1])),
    ints("of", 0),
    raw.node("a", "CropAndResizeGradBoxes", "g", "i", "boxes", "of", T=FLOAT, method=b"bilinear"),
  ],
  "CropAndResizeGradBoxes without width": [
    empty("g", raw.FLOAT, 1, HUGE, 0, 1),
    raw.const("i", raw.tensor(raw.FLOAT, (1, 1, 1, 1), float_val=[1])),
    raw.const("boxes", raw.tensor(raw.FLOAT, (1, 4), float_val=[0, 0, 1, 1])),
    ints("of", 0),
    raw.node("a", "CropAndResizeGradBoxes", "g", "i", "boxes", "of", T=FLOAT, method=b"bilinear"),
  ],
  "Dilation2D without width": [
    *filled("x", FLOAT, raw.FLOAT, "float_val", 1, 1, 100_000, 1),
    empty("w", raw.FLOAT, (1 << 31) - 1, 0, 1),
    raw.node(
      "a",
      "Dilation2D",
      "x",
      "w",
      T=FLOAT,
      strides=raw.new("AttrValue", list={"i": [1, 1, 1, 1]}),
      rates=raw.new("AttrValue", list={"i": [1, 1, 1, 1]}),
      padding=b"SAME",
    ),
  ],
  "ScaleAndTranslateGrad": [
    empty("g", raw.FLOAT, 1, 1 << 24, 0, 1),
    raw.const("i", raw.tensor(raw.FLOAT, (1, 1, 1, 1), float_val=[1])),
    raw.const("s", raw.tensor(raw.FLOAT, (2,), float_val=[1, 1])),
    raw.const("t", raw.tensor(raw.FLOAT, (2,), float_val=[0, 0])),
    raw.node("a", "ScaleAndTranslateGrad", "g", "i", "s", "t", T=FLOAT, kernel_type=b"lanczos3", antialias=True),
  ],
  "BatchNormWithGlobalNormalizationGrad": [
    empty("x", raw.FLOAT, HUGE, 1, 1, 0),
    empty("n", raw.FLOAT, 0),
    raw.node(
      "a",
      "BatchNormWithGlobalNormalizationGrad",
      "x",
      "n",
      "n",
      "n",
      "x",
      T=FLOAT,
      variance_epsilon=0.1,
      scale_after_normalization=True,
    ),
  ],
  "Svd": [empty("x", raw.FLOAT, HUGE, 0), raw.node("a", "Svd", "x", T=FLOAT, compute_uv=True, full_matrices=False)],
  "Substr": [
    empty("x", raw.STRING, HUGE, 0),
    raw.const("at", raw.tensor(raw.INT32, (1, 1), int_val=[0])),
    raw.node("a", "Substr", "x", "at", "at", T=INT32, unit=b"BYTE"),
  ],
  "UniqueV2": [
    empty("x", raw.FLOAT, HUGE, 1, 0),
    longs("axis", 1),
    raw.node("a", "UniqueV2", "x", "axis", T=FLOAT, Taxis=INT64, out_idx=INT32),
  ],
  "DenseBincount": [
    empty("x", raw.INT32, HUGE, 0),
    raw.const("size", 0, raw.INT32),
    empty("w", raw.FLOAT, 0),
    raw.node("a", "DenseBincount", "x", "size", "w", Tidx=INT32, T=FLOAT, binary_output=False),
  ],
  "BiasAddGrad": [
    empty("x", raw.FLOAT, 1 << 61, 1, 0),
    raw.node("a", "BiasAddGrad", "x", T=FLOAT, data_format=b"NCHW"),
  ],
  "ScaleAndTranslate": [
    empty("x", raw.FLOAT, 0, 1 << 56, 1, 1),
    ints("size", 1, 1),
    raw.const("s", raw.tensor(raw.FLOAT, (2,), float_val=[1e-17, 1])),
    raw.const("t", raw.tensor(raw.FLOAT, (2,), float_val=[0, 0])),
    raw.node("a", "ScaleAndTranslate", "x", "size", "s", "t", T=FLOAT, kernel_type=b"lanczos3", antialias=True),
  ],
  "HistogramFixedWidth": [
    raw.const("x", raw.tensor(2, (1,), double_val=[1.7e308])),
    raw.const("range", raw.tensor(2, (2,), double_val=[-1.7e308, 1.7e308])),
    raw.const("bins", 5, raw.INT32),
    raw.node("a", "HistogramFixedWidth", "x", "range", "bins", T=DOUBLE, dtype=INT32),
  ],
  "AutoShardDataset": [
    raw.const("names", raw.tensor(raw.STRING, (2,), string_val=[b"a", b"b"])),
    raw.const("none", b""),
    raw.const("buffer", 0, raw.INT64),
    raw.node("d", "TextLineDataset", "names", "none", "buffer"),
    raw.const("n", (1 << 63) - 1, raw.INT64),
    raw.const("i", 1, raw.INT64),
    raw.node(
      "s",
      "AutoShardDataset",
      "d",
      "n",
      "i",
      auto_shard_policy=0,
      output_types=raw.new("AttrValue", list={"type": [raw.STRING]}),
      output_shapes=raw.new("AttrValue", list={"shape": [{}]}),
    ),
    raw.node(
      "a",
      "DatasetToSingleElement",
      "s",
      output_types=raw.new("AttrValue", list={"type": [raw.STRING]}),
      output_shapes=raw.new("AttrValue", list={"shape": [{}]}),
    ),
  ],
  "MatchingFiles": [raw.const("p", b"a/" * 200_000), raw.node("a", "MatchingFiles", "p")],
}


@pytest.mark.parametrize("op", NODES)
def test_shapes_that_nothing_could_hold(wire, op):
  """An error, or the empty result, and at once; what is left of the budget is for others."""
  refuses(wire, raw.graph(*NODES[op]), codes=BAD | {Code.OK, Code.INTERNAL}, fetch=["a:0"])

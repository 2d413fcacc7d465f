"""Transforms of convolutions and of what brings images into form before them."""

import numpy as np

from millrace.compat.graph_transforms import nodes
from millrace.framework import protos


def flatten_atrous_conv(graph_def, request):
  """Convolutions between SpaceToBatchND and BatchToSpaceND become convolutions with zeros between the filters' elements."""
  known, uses = nodes.by_name(graph_def), nodes.users(graph_def)
  taken = set(known)
  made, gone = {}, set()
  for node in graph_def.node:
    chain = _atrous(node, known, uses, request.kept)
    if chain is None:
      continue
    convolution, spread, filters, padding = chain
    name = nodes.unused_name(taken, convolution.name + "_upsampled_filter")
    moved = protos.NodeDef()
    moved.CopyFrom(convolution)
    moved.name = node.name
    del moved.input[:]
    moved.input.extend([spread.input[0], name])
    moved.attr["padding"].s = padding
    made[node.name] = [nodes.constant(name, filters, convolution.device), moved]
    gone |= {convolution.name, spread.name}
  changed = nodes.of(one for node in graph_def.node for one in made.get(node.name, [] if node.name in gone else [node]))
  # What only the removed nodes used.
  left, before = nodes.users(changed), nodes.users(graph_def)
  unused = {name for name in before if name not in left and known[name].op == "Const" and name not in request.kept}
  return nodes.of(node for node in changed.node if node.name not in unused)


def _atrous(node, known, uses, kept):
  """(the convolution, the SpaceToBatchND, the filters with zeros, the padding) before a BatchToSpaceND, or None."""
  if node.op != "BatchToSpaceND" or len(node.input) != 3:
    return None
  convolution = known[nodes.node_of(node.input[0])]
  if convolution.op not in ("Conv2D", "DepthwiseConv2dNative") or len(convolution.input) != 2:
    return None
  spread, constant = (known[nodes.node_of(name)] for name in convolution.input)
  if spread.op != "SpaceToBatchND" or len(spread.input) != 3:
    return None
  if any(uses[one.name] != 1 or one.name in kept for one in (convolution, spread)):
    return None
  filters = nodes.value_of(constant)
  blocks = [nodes.value_of(known[nodes.node_of(one.input[1])]) for one in (spread, node)]
  plain = nodes.attribute(convolution, "padding").s == b"VALID" and all(one == 1 for one in convolution.attr["strides"].list.i)
  if filters is None or any(block is None or block.shape != (2,) for block in blocks) or not plain:
    return None
  if list(blocks[0]) != list(blocks[1]) or nodes.attribute(convolution, "data_format").s not in (b"", b"NHWC"):
    return None
  sizes = [(filters.shape[i] - 1) * int(blocks[0][i]) + 1 for i in range(2)]
  spaced = np.zeros([*sizes, *filters.shape[2:]], filters.dtype)
  spaced[:: blocks[0][0], :: blocks[0][1]] = filters
  padding = _padding(
    nodes.value_of(known[nodes.node_of(spread.input[2])]), nodes.value_of(known[nodes.node_of(node.input[2])]), sizes
  )
  return None if padding is None else (convolution, spread, spaced, padding)


def _padding(paddings, crops, sizes):
  """The padding that the zeros around images come to. Where they are computed in the run it is SAME, as the tool has it."""
  if paddings is None or crops is None:
    return b"SAME"
  around = [[int(paddings[i][0] - crops[i][0]), int(paddings[i][1] - crops[i][1])] for i in range(2)]
  if around == [[0, 0], [0, 0]]:
    return b"VALID"
  same = [[(size - 1) // 2, size - 1 - (size - 1) // 2] for size in sizes]
  return b"SAME" if around == same else None


def fuse_convolutions(graph_def, request):
  """One op in the place of a convolution and of the resizing and mirroring of images before it."""
  known, uses = nodes.by_name(graph_def), nodes.users(graph_def)
  taken = set(known)
  made, gone = {}, set()
  for node in graph_def.node:
    if node.op != "Conv2D" or len(node.input) != 2 or nodes.attribute(node, "data_format").s not in (b"", b"NHWC"):
      continue
    if any(one != 1 for one in nodes.attribute(node, "dilations").list.i) or node.attr["padding"].s not in (b"SAME", b"VALID"):
      continue
    before = _chain(node, known, uses, request.kept)
    if before:
      made[node.name] = _fused(node, before, taken)
      gone |= {one.name for one in before.values()}
  return nodes.of(one for node in graph_def.node for one in made.get(node.name, [] if node.name in gone else [node]))


def _chain(node, known, uses, kept):
  """{op: node} of the mirroring and of the resizing before it that nothing else uses."""
  found = {}
  for op, inputs in (("MirrorPad", 2), ("ResizeBilinear", 2)):
    before = known[nodes.node_of(node.input[0])]
    if before.op == op and len(before.input) == inputs and uses[before.name] == 1 and before.name not in kept:
      # Resizing centers of pixels, and whole numbers, is none of the fused op.
      if op == "ResizeBilinear" and (nodes.attribute(before, "half_pixel_centers").b or before.attr["T"] != node.attr["T"]):
        break
      found[op] = node = before
  return found


def _fused(node, before, taken):
  pad, resize = before.get("MirrorPad"), before.get("ResizeBilinear")
  fused = protos.NodeDef(name=node.name, op="FusedResizeAndPadConv2D" if resize is not None else "FusedPadConv2D")
  fused.device = node.device
  for key in ("T", "strides", "padding"):
    fused.attr[key].CopyFrom(node.attr[key])
  fused.attr["mode"].s = pad.attr["mode"].s if pad is not None else b"REFLECT"
  found = [fused]
  if pad is not None:
    paddings = pad.input[1]
  else:
    paddings = nodes.unused_name(taken, node.name + "_dummy_paddings")
    found.append(nodes.constant(paddings, np.zeros([4, 2], np.int32), node.device))
  if resize is not None:
    fused.attr["resize_align_corners"].b = nodes.attribute(resize, "align_corners").b
    fused.input.extend([resize.input[0], resize.input[1], paddings, node.input[1]])
  else:
    fused.input.extend([pad.input[0], paddings, node.input[1]])
  return found

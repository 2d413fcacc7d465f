"""What get_shape() says in networks whose batch size is not known."""

import numpy as np


def _shape(tensor):
  shape = tensor.get_shape()
  return None if shape.ndims is None else shape.as_list()


def _shapes(*tensors):
  return [_shape(t) for t in tensors]


def program_network_of_images(tf):
  x = tf.placeholder(tf.float32, [None, 8, 8, 3])
  n = tf.shape(x)[0]
  pool = tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
  flat = tf.reshape(pool, [n, 4 * 4 * 3])
  flat2 = tf.reshape(pool, [-1, np.prod(pool.get_shape().as_list()[1:])])
  dense = tf.matmul(flat, tf.zeros([48, 10]))
  back = tf.reshape(tf.matmul(dense, tf.zeros([10, 48])), tf.concat([[n], tf.shape(pool)[1:]], 0))
  up = tf.image.resize_nearest_neighbor(back, tf.shape(x)[1:3])
  deconv = tf.nn.conv2d_transpose(pool, tf.zeros([3, 3, 5, 3]), [n, 8, 8, 5], [1, 2, 2, 1])
  deconv2 = tf.nn.conv2d_transpose(pool, tf.zeros([3, 3, 5, 3]), tf.stack([n, tf.shape(x)[1], 8, 5]), [1, 2, 2, 1])
  joined = tf.concat([x, up, deconv], 3)
  return _shapes(pool, flat, flat2, dense, back, deconv, deconv2, joined)


def program_network_of_sequences(tf):
  ids = tf.placeholder(tf.int32, [None, None])
  lengths = tf.placeholder(tf.int32, [None])
  batch, steps = tf.unstack(tf.shape(ids))
  embedded = tf.nn.embedding_lookup(tf.zeros([100, 16]), ids)
  positions = tf.tile(tf.expand_dims(tf.range(steps), 0), [batch, 1])
  mask = tf.sequence_mask(lengths, steps, dtype=tf.float32)
  masked = embedded * tf.expand_dims(mask, -1)
  flat = tf.reshape(masked, [-1, 16])
  logits = tf.reshape(tf.matmul(flat, tf.zeros([16, 7])), [batch, steps, 7])
  heads = tf.transpose(tf.reshape(masked, [batch, steps, 4, 4]), [0, 2, 1, 3])
  scores = tf.matmul(heads, heads, transpose_b=True)
  merged = tf.reshape(tf.transpose(tf.matmul(tf.nn.softmax(scores), heads), [0, 2, 1, 3]), [batch, steps, 16])
  state = tf.zeros([batch, 16])
  begin = tf.fill([batch, 1], 2)
  shifted = tf.concat([begin, ids[:, :-1]], 1)
  last = tf.gather_nd(masked, tf.stack([tf.range(batch), lengths - 1], 1))
  one_hot = tf.one_hot(ids, 100)
  padded = tf.pad(ids, [[0, 0], [0, 50 - steps]])
  return _shapes(
    embedded, positions, mask, masked, flat, logits, heads, scores, merged, state, begin, shifted, last, one_hot, padded
  )


def program_network_of_attention(tf):
  q = tf.placeholder(tf.float32, [None, 5, 8])
  s = tf.shape(q)
  split = tf.concat(tf.split(q, 2, axis=2), axis=0)
  restored = tf.concat(tf.split(split, 2, axis=0), axis=2)
  heads = tf.reshape(q, [s[0], s[1], 2, s[2] // 2])
  heads2 = tf.reshape(q, tf.concat([s[:-1], [2, 4]], 0))
  causal = tf.linalg.band_part(tf.ones([s[1], s[1]]), -1, 0)
  causal3 = tf.tile(tf.expand_dims(causal, 0), [s[0], 1, 1])
  weights = tf.matmul(q, q, transpose_b=True) * causal3
  joined = tf.reshape(heads2, tf.concat([tf.shape(heads2)[:-2], [8]], 0))
  normal = tf.nn.moments(q, [-1], keep_dims=True)[0]
  return _shapes(split, restored, heads, heads2, causal, causal3, weights, joined, normal)


def program_network_of_a_generator(tf):
  z = tf.placeholder(tf.float32, [None, 12])
  n = tf.shape(z)[0]
  labels = tf.placeholder(tf.int64, [None])
  c = tf.one_hot(labels, 10)
  both = tf.concat([z, c], 1)
  h = tf.reshape(tf.matmul(both, tf.zeros([22, 32])), [-1, 4, 4, 2])
  maps = tf.reshape(c, [n, 1, 1, 10]) * tf.ones([n, 4, 4, 10])
  wide = tf.concat([h, maps], 3)
  noise = tf.random_normal(tf.shape(wide))
  eps = tf.random_uniform([n, 1, 1, 1])
  mixed = eps * wide + (1.0 - eps) * noise
  image = tf.nn.conv2d_transpose(mixed, tf.zeros([5, 5, 3, 12]), tf.stack([n, 8, 8, 3]), [1, 2, 2, 1], "SAME")
  crops = tf.random_crop(image, tf.stack([n, 6, 6, 3]))
  patches = tf.extract_image_patches(image, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID")
  return _shapes(both, h, maps, wide, noise, eps, mixed, image, crops, patches)


def program_network_of_losses(tf):
  logits = tf.placeholder(tf.float32, [None, 7])
  labels = tf.placeholder(tf.int32, [None])
  n = tf.shape(logits)[0]
  dense = tf.sparse_to_dense(tf.stack([tf.range(n), labels], 1), tf.stack([n, 7]), 1.0, 0.0)
  scattered = tf.scatter_nd(tf.stack([tf.range(n), labels], 1), tf.ones([n]), [n, 7])
  loss = tf.nn.softmax_cross_entropy_with_logits_v2(labels=dense, logits=logits)
  picked = tf.gather(tf.reshape(logits, [-1]), tf.range(n) * 7 + labels)
  pairs = tf.expand_dims(logits, 1) - tf.expand_dims(logits, 0)
  mask = tf.logical_not(tf.cast(tf.eye(n), tf.bool))
  off = tf.boolean_mask(tf.reduce_sum(pairs, -1), mask)
  square = tf.reshape(off, [n, n - 1])
  top = tf.nn.top_k(square, k=1)[0]
  weights = tf.reshape(tf.tile(tf.constant([0.5, 2.0]), [n]), [n, 2])
  return _shapes(dense, scattered, loss, picked, pairs, mask, off, square, top, weights)


def program_network_in_a_loop(tf):
  x = tf.placeholder(tf.float32, [None, 6, 4])
  n = tf.shape(x)[0]
  found = []

  def body(i, state, outputs):
    step = x[:, i]
    joined = tf.concat([step, state], 1)
    new = tf.reshape(tf.tanh(joined)[:, :3], [n, 3])
    found.extend(_shapes(step, joined, new))
    return i + 1, new, outputs.write(i, new)

  array = tf.TensorArray(tf.float32, tf.shape(x)[1])
  _, state, outputs = tf.while_loop(lambda i, *_: i < tf.shape(x)[1], body, [0, tf.zeros([n, 3]), array])
  stacked = outputs.stack()
  whole = tf.transpose(tf.reshape(stacked, [6, n, 3]), [1, 0, 2])
  mapped = tf.map_fn(lambda row: tf.reduce_sum(row, 0), x)
  scanned = tf.scan(lambda a, row: a + row, tf.transpose(x, [1, 0, 2]))
  chosen = tf.cond(n > 2, lambda: x[:, 0], lambda: tf.zeros([n, 4]))
  return [found, _shapes(state, stacked, whole, mapped, scanned, chosen)]


def program_network_of_skips(tf):
  x = tf.placeholder(tf.float32, [None, 9, 9, 2])
  s = tf.shape(x)
  even = tf.pad(x, [[0, 0], [0, 1], [0, 1], [0, 0]])
  unknown = tf.pad(x, [[0, 0], [0, s[1] % 2], [0, s[2] % 2], [0, 0]])
  down = tf.nn.conv2d(even, tf.zeros([3, 3, 2, 4]), strides=[1, 2, 2, 1], padding="SAME")
  down2 = tf.nn.conv2d(unknown, tf.zeros([3, 3, 2, 4]), strides=[1, 2, 2, 1], padding="VALID")
  blocks = tf.space_to_depth(even, 2)
  batch = tf.space_to_batch_nd(even, [2, 2], [[0, 0], [0, 0]])
  up = tf.nn.conv2d_transpose(down, tf.zeros([3, 3, 2, 4]), tf.shape(even), strides=[1, 2, 2, 1])
  up2 = tf.nn.conv2d_transpose(down, tf.zeros([3, 3, 2, 4]), tf.concat([s[:1], [10, 10, 2]], 0), strides=[1, 2, 2, 1])
  cut = tf.slice(up, [0, 0, 0, 0], tf.stack([s[0], 9, 9, 2]))
  cut2 = up2[:, : s[1], : s[2]]
  crop = tf.image.resize_image_with_crop_or_pad(x, 6, 12)
  boxes = tf.image.crop_and_resize(x, tf.zeros([5, 4]), tf.zeros([5], tf.int32), [4, 4])
  mean = tf.reduce_mean(down, [1, 2], keepdims=True)
  normal = tf.nn.batch_normalization(down, *tf.nn.moments(down, [0, 1, 2]), None, None, 1e-3)
  return _shapes(even, unknown, down, down2, blocks, batch, up, up2, cut, cut2, crop, boxes, mean, normal)


def program_network_of_capsules(tf):
  x = tf.placeholder(tf.float32, [None, 6, 6, 8])
  n = tf.shape(x)[0]
  low = tf.reshape(x, [-1, 36, 8])
  tiled = tf.tile(tf.expand_dims(tf.expand_dims(low, 2), -1), [1, 1, 10, 1, 1])
  weights = tf.tile(tf.zeros([1, 36, 10, 16, 8]), [n, 1, 1, 1, 1])
  votes = tf.squeeze(tf.matmul(weights, tiled), -1)
  logits = tf.zeros(tf.stack([n, 36, 10]))
  routed = tf.reduce_sum(tf.expand_dims(tf.nn.softmax(logits), -1) * votes, 1, keepdims=True)
  length = tf.norm(routed, axis=-1, keepdims=True)
  squashed = routed / length
  agreement = tf.reduce_sum(votes * tf.tile(squashed, [1, 36, 1, 1]), -1)
  chosen = tf.one_hot(tf.argmax(length, 2), 10, axis=2)
  masked = tf.reshape(tf.squeeze(squashed, 1) * tf.ones([n, 10, 1]), [n, 160])
  return _shapes(low, tiled, weights, votes, logits, routed, length, squashed, agreement, chosen, masked)


def program_network_of_relative_positions(tf):
  x = tf.placeholder(tf.float32, [None, 7, 16])
  n, steps = tf.shape(x)[0], tf.shape(x)[1]
  keys = tf.get_variable("keys", [13, 16], use_resource=True)
  scores = tf.tensordot(x, keys, [[2], [1]])
  padded = tf.pad(scores, [[0, 0], [0, 0], [1, 0]])
  shifted = tf.reshape(padded, [n, 14, steps])[:, 1:]
  back = tf.slice(tf.reshape(shifted, [n, steps, 13]), [0, 0, 0], [-1, -1, 7])
  products = tf.einsum("bik,bjk->bij", x, x)
  distance = tf.range(steps)[tf.newaxis, :] - tf.range(steps)[:, tf.newaxis]
  looked = tf.gather(keys, tf.clip_by_value(distance + 6, 0, 12))
  mask = tf.broadcast_to(tf.cast(distance > 0, tf.float32), [n, steps, steps])
  heads = tf.stack(tf.split(x, 4, axis=-1), axis=1)
  both = tf.concat([tf.broadcast_to(keys[tf.newaxis], [n, 13, 16]), x], axis=1)
  windows = tf.signal.frame(x, 3, 2, axis=1) if hasattr(tf.signal, "frame") else x
  return _shapes(scores, padded, shifted, back, products, distance, looked, mask, heads, both, windows)


def program_network_of_boxes(tf):
  maps = tf.placeholder(tf.float32, [None, 4, 5, 6])
  n = tf.shape(maps)[0]
  height, width = maps.get_shape().as_list()[1:3]
  rows, columns = tf.meshgrid(tf.range(height), tf.range(width), indexing="ij")
  grid = tf.cast(tf.stack([rows, columns, rows, columns], -1), tf.float32)
  anchors = tf.reshape(tf.tile(tf.expand_dims(grid, 2), [1, 1, 3, 1]), [-1, 4])
  deltas = tf.reshape(tf.tile(maps, [1, 1, 1, 2]), tf.stack([n, -1, 4]))
  boxes = deltas + tf.tile(tf.expand_dims(anchors, 0), [n, 1, 1])
  scores = tf.reduce_max(boxes, -1)
  best, places = tf.nn.top_k(scores, k=8)
  kept = tf.batch_gather(boxes, places) if hasattr(tf, "batch_gather") else tf.gather(boxes, places, batch_dims=1)
  one = tf.image.non_max_suppression(boxes[0], scores[0], 5)
  chosen = tf.gather(boxes[0], one)
  padded = tf.pad(chosen, [[0, 5 - tf.shape(chosen)[0]], [0, 0]])
  fixed = tf.reshape(padded, [5, 4])
  parts = tf.dynamic_partition(boxes[0], tf.zeros([tf.shape(boxes)[1]], tf.int32), 2)
  matched = tf.boolean_mask(boxes, scores > 0.5)
  found = tf.where(scores > 0.5)
  return _shapes(grid, anchors, deltas, boxes, scores, best, places, kept, one, chosen, padded, fixed, parts[0], matched, found)

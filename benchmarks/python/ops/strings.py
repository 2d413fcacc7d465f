"""Strings and records."""

import numpy as np

from ops.rows import MILLION, ints, op, uniform, words

WORDS = words(10_000)


def varint(value):
  found = b""
  while value > 127:
    found += bytes([value & 127 | 128])
    value >>= 7
  return found + bytes([value])


def field(number, content):
  return varint(number << 3 | 2) + varint(len(content)) + content


def examples():
  """256 messages tf.train.Example with ten floats and five integers."""
  floats = field(1, np.arange(10, dtype=np.float32).tobytes())
  integers = field(1, b"".join(varint(x) for x in range(5)))
  a = field(1, b"a") + field(2, field(2, floats))
  b = field(1, b"b") + field(2, field(3, integers))
  return np.array([field(1, field(1, a) + field(1, b))] * 256, dtype=object)


def parse(tf, serialized):
  features = dict(a=tf.FixedLenFeature([10], tf.float32), b=tf.VarLenFeature(tf.int64))
  found = tf.io.parse_example(serialized, features)
  return [found["a"], found["b"].values]


op("string/split", lambda tf, x: tf.string_split(tf.strings.join([x, x], " ")).values, WORDS)
op("string/regex", lambda tf, x: tf.strings.regex_replace(x, "[aeiou]", "-"), WORDS)
op("string/substr", lambda tf, x: tf.strings.substr(x, 2, 3), WORDS)
op("string/join", lambda tf, x: tf.strings.join([x, x, x], "_"), WORDS)
op("string/hash", lambda tf, x: tf.strings.to_hash_bucket_fast(x, 1000), WORDS)
op("string/hash_strong", lambda tf, x: tf.strings.to_hash_bucket_strong(x, 1000, [1, 2]), WORDS)
op("string/to_number", lambda tf, x: tf.strings.to_number(tf.strings.as_string(x)), uniform(10000))
op("string/as_string", lambda tf, x: tf.strings.as_string(x), uniform(10000))
op("string/as_string_int", lambda tf, x: tf.strings.as_string(x), ints(MILLION, 10000))
op("string/length", lambda tf, x: tf.strings.length(x), WORDS)
op("string/lower", lambda tf, x: tf.strings.upper(x), WORDS)
op("string/full_match", lambda tf, x: tf.strings.regex_full_match(x, "a.*"), WORDS)
op("string/base64", lambda tf, x: tf.io.decode_base64(tf.io.encode_base64(x)), WORDS)
op("string/reduce_join", lambda tf, x: tf.strings.reduce_join(tf.reshape(x, [100, 100]), 1, separator=" "), WORDS)
op("string/unicode_decode", lambda tf, x: tf.strings.unicode_decode(x, "UTF-8").flat_values, WORDS)
op("string/csv", lambda tf, x: tf.io.decode_csv(tf.strings.join([x, "1.5", "7"], ","), [[""], [0.0], [0]]), WORDS)
op("string/decode_raw", lambda tf, x: tf.io.decode_raw(x, tf.uint8), WORDS)
op("string/equal", lambda tf, x: tf.equal(x, x[::-1]), WORDS)
op("string/unique", lambda tf, x: list(tf.unique(x)), WORDS)
op("string/gather", lambda tf, x: tf.gather(x, tf.range(9999, -1, -1)), WORDS)
op("string/concat", lambda tf, x: tf.concat([x, x], 0), WORDS)
op("string/format", lambda tf, x: tf.strings.format("{}", x, summarize=1000), uniform(10000))
op("parse/example", parse, examples)

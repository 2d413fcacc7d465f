"""Strings joined, compared, hashed, split, and made of characters."""

import numpy as np


def run(tf, fetches, feed=None):
  with tf.Session() as session:
    return session.run(fetches, feed)


def caught(function):
  """Returns the error that a function raises, or what it returns."""
  try:
    return function()
  except Exception as error:  # noqa: BLE001
    return error


def program_numbers_and_texts(tf):
  p = tf.placeholder(tf.float32, [None])
  results = [
    tf.as_string([1, -2]),
    tf.as_string(p, precision=2, name="two"),
    tf.as_string(p, 3, True),
    tf.as_string([0.1, 1e20], shortest=True),
    tf.strings.as_string([7], width=4, fill="0"),
    tf.as_string([True, False]),
    tf.dtypes.as_string([1.5], precision=1, width=6),
    tf.string_to_number(["1.5", "-2"]),
    tf.string_to_number(["12"], tf.int32, name="int"),
    tf.strings.to_number(string_tensor=["3"], out_type=tf.int64),
    tf.strings.to_number(input=["2.5"], out_type=tf.float64),
  ]
  errors = [
    caught(lambda: tf.string_to_number(string_tensor=["1"], input=["2"])),
    caught(lambda: run(tf, tf.string_to_number(["x"]))),
  ]
  return errors, run(tf, results, {p: [1.0, 2.625]})


def program_join(tf):
  words = tf.constant([["a", "b"], ["c", "d"]])
  p = tf.placeholder(tf.string)
  results = [
    tf.string_join(["x", words]),
    tf.strings.join([words, words, "!"], separator="-", name="joined"),
    tf.reduce_join(words),
    tf.reduce_join(words, 0, keep_dims=True, separator=", ", name="rows"),
    tf.strings.reduce_join(words, axis=[1], keepdims=True),
    tf.reduce_join(words, [1, 0], separator="."),
    tf.reduce_join(words, reduction_indices=-1),
    tf.reduce_join(p),
    tf.reduce_join(["q", "r"]),
    tf.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 3),
    tf.strings.unsorted_segment_join(["a", "b", "c"], [1, 1, 1], num_segments=2, separator=":", name="segments"),
  ]
  errors = [
    caught(lambda: tf.reduce_join(words, 0, reduction_indices=0)),
    caught(lambda: tf.reduce_join(words, 0, keepdims=True, keep_dims=True)),
    caught(lambda: tf.reduce_join(words, 5)),
  ]
  return errors, run(tf, results, {p: [["u", "v"]]})


def program_parts_and_cases(tf):
  texts = tf.constant(["Hello World", "  Grüße ", ""])
  results = [
    tf.strings.length(texts),
    tf.strings.length(texts, name="characters", unit="UTF8_CHAR"),
    tf.strings.lower(texts),
    tf.strings.lower(["ÄB"], encoding="utf-8", name="low"),
    tf.strings.upper(texts),
    tf.strings.upper(["äb"], encoding="utf-8", name="high"),
    tf.string_strip(texts),
    tf.strings.strip([" \ta\n"], name="stripped"),
    tf.substr(texts[:2], 1, 3),
    tf.strings.substr(texts[:2], [2, -6], [4, 2], name="some"),
    tf.strings.substr(["Grüße"], 2, 2, unit="UTF8_CHAR"),
    tf.substr("abc", -2, 1),
  ]
  wrong = caught(lambda: run(tf, tf.substr(["a"], 5, 1)))
  return wrong, run(tf, results)


def program_patterns(tf):
  texts = tf.constant(["abc", "aXbX", "ba"])
  pattern = tf.placeholder(tf.string, [])
  results = [
    tf.strings.regex_full_match(texts, "a.*"),
    tf.strings.regex_full_match(texts, pattern, name="full"),
    tf.regex_replace(texts, "X", "-"),
    tf.strings.regex_replace(texts, "(a)(.)", r"\2\1", replace_global=False, name="swap"),
    tf.strings.regex_replace(texts, pattern, "_"),
    tf.strings.regex_replace(texts, "[ab]", tf.constant("z"), False),
  ]
  wrong = caught(lambda: run(tf, tf.strings.regex_full_match(texts, pattern), {pattern: "("}))
  return wrong, run(tf, results, {pattern: "b."})


def program_hashes(tf):
  texts = tf.constant(["a", "b", "hello"])
  results = [
    tf.string_to_hash_bucket(texts, 100),
    tf.strings.to_hash_bucket(input=texts, num_buckets=7, name="old"),
    tf.string_to_hash_bucket_fast(texts, 100, name="fast"),
    tf.strings.to_hash_bucket_fast(texts, num_buckets=3),
    tf.string_to_hash_bucket_strong(texts, 100, [1, 2], name="strong"),
    tf.strings.to_hash_bucket_strong(texts, num_buckets=50, key=[3, 4]),
  ]
  errors = [
    caught(lambda: tf.string_to_hash_bucket(texts)),
    caught(lambda: tf.string_to_hash_bucket(texts, 5, input=texts)),
    caught(lambda: tf.string_to_hash_bucket_fast(texts, 0)),
  ]
  return errors, run(tf, results)


def program_base64(tf):
  results = [
    tf.encode_base64(["a", "bcd"]),
    tf.io.encode_base64(["a"], pad=True, name="padded"),
    tf.decode_base64(["YQ", "YmNk"]),
    tf.io.decode_base64(["YQ=="], name="decoded"),
  ]
  wrong = caught(lambda: run(tf, tf.decode_base64(["&"])))
  return wrong, run(tf, results)


def program_format(tf):
  x = tf.constant(np.arange(20))
  results = [
    tf.strings.format("x: {}", x),
    tf.strings.format("% and %", [x, tf.constant([1.5])], placeholder="%", summarize=-1, name="all"),
    tf.strings.format("{}", ["a"]),
    tf.strings.format("nothing", []),
  ]
  error = caught(lambda: tf.strings.format("{} {}", [x]))
  return error, run(tf, results[:3])


def program_string_split(tf):
  texts = tf.placeholder(tf.string, [None])
  results = [
    tf.string_split(["a b", "c"]),
    tf.string_split(texts, ",;", skip_empty=False, name="parts"),
    tf.string_split(["ab", "c"], delimiter=""),
    tf.strings.split(["a  b", "c "]),
    tf.strings.split(texts, sep=",", maxsplit=1, name="two"),
    tf.strings.split(source="x y z"),
  ]
  errors = [
    caught(lambda: tf.string_split(["a"], sep=",", delimiter=",")),
    caught(lambda: tf.string_split(["a"], result_type="list")),
    caught(lambda: tf.strings.split(["a"], result_type="list")),
  ]
  return errors, run(tf, results, {texts: ["a,b;c", ",d,e"]})


def program_unicode_scalars(tf):
  """Values only: where rows of one length end is computed as in 1.15, and not kept as that length."""
  results = [
    tf.strings.unicode_script([97, 1041, 0x3042]),
    tf.strings.unicode_script([33], name="sign"),
    tf.strings.unicode_transcode(["Grüße"], "UTF-8", "UTF-16-BE"),
    tf.strings.unicode_transcode(
      [b"a\xffb\x01"],
      input_encoding="UTF-8",
      output_encoding="UTF-8",
      errors="replace",
      replacement_char=33,
      replace_control_characters=True,
      name="mended",
    ),
    tf.strings.unicode_transcode([b"a\xffb"], "UTF-8", "UTF-8", errors="ignore"),
    tf.strings.unicode_decode("Gr\u00fc", "UTF-8"),
    tf.strings.unicode_decode_with_offsets("Gr\u00fc!", "UTF-8", name="places"),
    tf.strings.unicode_split("Gr\u00fc", "UTF-8"),
    tf.strings.unicode_split_with_offsets("\u00fcb", "UTF-8"),
    tf.strings.unicode_encode([71, 252], "UTF-8"),
    tf.strings.unicode_encode([[71, 252], [33, 34]], output_encoding="UTF-16-BE", name="wide"),
  ]
  errors = [
    caught(lambda: run(tf, tf.strings.unicode_transcode([b"\xff"], "UTF-8", "UTF-8", errors="strict"))),
    caught(lambda: tf.strings.unicode_encode(97, "UTF-8")),
    caught(lambda: tf.strings.unicode_decode(tf.placeholder(tf.string), "UTF-8")),
  ]
  return errors, run(tf, results)


program_unicode_scalars.values_only = True


def program_word_counts(tf):
  """Counts words of lines, as a program for texts does before it has a vocabulary."""
  lines = tf.placeholder(tf.string, [None])
  clean = tf.strings.regex_replace(tf.strings.lower(lines), "[^a-z ]", "")
  words = tf.string_split(clean).values
  unique, index, count = tf.unique_with_counts(words)
  order = tf.nn.top_k(count, 2).indices
  report = tf.string_join([tf.gather(unique, order), tf.as_string(tf.gather(count, order))], ": ")
  return run(tf, [words, index, report], {lines: ["The cat, the dog.", "A cat and the end"]})

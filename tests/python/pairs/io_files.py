"""Files and folders by tf.gfile and tf.io.gfile: places, modes, what is left behind, and which errors there are."""

import os
import shutil

import numpy as np


def _fresh(name):
  shutil.rmtree(name, ignore_errors=True)
  os.makedirs(name)
  return name


def _each(calls):
  """What each call gives, or the type of its error, and whether it is one of Python for files."""
  found = []
  for call in calls:
    try:
      found.append(call())
    except Exception as error:  # noqa: BLE001
      found.append([type(error).__name__, isinstance(error, OSError)])
  return found


def _bytes(path):
  with open(path, "rb") as file:
    return file.read()


def _put(path, data):
  with open(path, "wb") as file:
    file.write(data)
  return path


def program_reading(tf):
  path = _put(_fresh("reading") + "/f", "one\ntwö\r\n\nfour".encode())
  f = tf.gfile.GFile(path)
  found = [f.name, f.mode, f.size(), f.tell(), f.readline(), f.tell(), f.read(2), f.readline(), f.readline(), f.readline()]
  found += [f.readline(), f.read(), f.read(5), f.tell(), f.readlines()]
  f.seek(0)
  found += [f.readlines(), f.tell()]
  f.seek(1)
  found += [list(f), f.tell()]
  f.seek(0)
  found += [next(f), f.next(), f.read(0), f.tell()]
  f.close()
  found += [f.read(3), f.tell(), f.seekable()]
  f.close()
  f.close()
  f = tf.gfile.GFile(path, "rb")
  found += [f.read(3), f.readline(), f.readline(), f.readlines(), f.read(), list(f)]
  return found


def program_seeking(tf):
  path = _put(_fresh("seeking") + "/f", b"0123456789")
  f = tf.gfile.GFile(path, "rb")

  def seek(*args, **kwargs):
    def call():
      f.seek(*args, **kwargs)
      return [f.tell(), f.read(2), f.tell()]

    return call

  return _each(
    [
      seek(3),
      seek(2, 1),
      seek(-2, 1),
      seek(-3, 2),
      seek(0, 2),
      seek(10),
      seek(11),
      f.tell,
      lambda: f.read(3),
      seek(-1),
      f.tell,
      seek(4),
      seek(1, 3),
      seek(offset=5),
      seek(position=6),
      seek(),
      seek(1, position=2),
      seek(5, 2),
      seek(-20, 2),
      lambda: f.read(100),
      lambda: f.read(-1),
      lambda: f.read(-2),
      lambda: f.read(2.0),
      lambda: f.read(None),
      lambda: f.seek("a"),
    ]
  )


def program_empty_and_binary(tf):
  folder = _fresh("empty")
  empty = _put(folder + "/e", b"")
  raw = _put(folder + "/r", bytes(range(256)) + b"\n\xff\xfe")
  f = tf.gfile.GFile(empty)
  found = [f.read(), f.read(3), f.readline(), f.readlines(), list(f), f.tell(), f.size()]
  found += _each(
    [lambda: tf.gfile.GFile(raw).read(), lambda: tf.gfile.GFile(raw).readline(), lambda: tf.gfile.GFile(raw).readlines()]
  )
  b = tf.gfile.GFile(raw, "rb")
  return [*found, b.readline(), b.tell(), b.readlines(), b.tell()]


def program_writing(tf):
  folder = _fresh("writing")
  f = tf.gfile.GFile(folder + "/w", "w")
  found = [tf.gfile.Exists(folder + "/w")]
  f.write("ab")
  found += [tf.gfile.Exists(folder + "/w"), f.tell()]
  f.write(b"c\n")
  f.flush()
  found += [_bytes(folder + "/w"), f.tell(), f.size()]
  f.write("ö")
  f.close()
  found += [_bytes(folder + "/w")]
  found += _each([lambda: f.write("more"), f.close, lambda: _bytes(folder + "/w")])
  g = tf.gfile.GFile(folder + "/w", "wb")
  found += _each(
    [
      lambda: g.write("text"),
      lambda: g.write(b"\xff"),
      lambda: g.write(3),
      lambda: g.write(None),
      lambda: g.write(np.array([1, 2], np.uint8)),
      lambda: g.write(bytearray(b"x")),
      lambda: g.write(["a"]),
      g.close,
      lambda: _bytes(folder + "/w"),
    ]
  )
  with tf.gfile.GFile(folder + "/not_written", "w"):
    pass
  with tf.gfile.GFile(folder + "/nothing", "w") as nothing:
    nothing.write("")
  return [*found, sorted(os.listdir(folder))]


def program_modes(tf):
  """What each mode lets one do, with a file that is there and with one that is not."""
  folder = _fresh("modes")
  found = []
  for mode in ("r", "w", "a", "r+", "w+", "a+", "rb", "wb", "ab", "rb+", "r+b", "wb+", "w+b", "ab+", "a+b"):
    for there in (True, False):
      path = folder + "/f"
      if os.path.exists(path):
        os.remove(path)
      if there:
        _put(path, b"old\nnew\n")
      f = tf.gfile.GFile(path, mode)
      steps = [
        lambda: f.mode,
        lambda: f.tell(),
        lambda: f.readline(),
        lambda: f.tell(),
        lambda: f.write("xy"),
        lambda: f.tell(),
        lambda: f.flush(),
        lambda: f.size(),
        lambda: f.write("z"),
        lambda: f.close(),
        lambda: _bytes(path),
      ]
      found.append([mode, there, _each(steps)])
  return found


def program_write_then_read(tf):
  """The two places of a file are independent; what was written is read once it was flushed."""
  folder = _fresh("write_then_read")
  found = []
  for mode in ("w+", "a+", "r+"):
    path = _put(folder + "/" + mode, b"old ")
    f = tf.gfile.GFile(path, mode)
    f.write("first line\nsecond")
    f.flush()
    found.append(_each([f.read, f.tell, lambda: f.seek(2), lambda: f.readline(), lambda: f.write("!"), f.flush, f.size]))
    f.close()
    found.append(_bytes(path))
  return found


def program_wrong_modes(tf):
  path = _put(_fresh("wrong_modes") + "/f", b"x")
  return _each([lambda m=m: tf.gfile.GFile(path, m).mode for m in ("x", "", "rw", "U", "rt", "b", "rbb", "wr", "br", 3, None)])

"""Folders and names of files by tf.gfile and tf.io.gfile: what is missing, moved, deleted, walked and matched."""

import os
import shutil


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


def program_missing(tf):
  folder = _fresh("missing")
  _put(folder + "/file", b"x")
  g = tf.gfile
  none, within, under = folder + "/none", folder + "/none/f", folder + "/file/f"
  calls = []
  for path in (none, within, under, ""):
    calls += [
      lambda p=path: g.GFile(p).readline(),
      lambda p=path: g.GFile(p).tell(),
      lambda p=path: g.GFile(p).seek(0),
      lambda p=path: list(g.GFile(p)),
    ]
  for path in (none, within, under, folder, "", folder + "/"):
    calls += [
      lambda p=path: g.GFile(p).read(),
      lambda p=path: g.GFile(p).size(),
      lambda p=path: g.Exists(p),
      lambda p=path: g.IsDirectory(p),
      lambda p=path: g.Stat(p).is_directory,
      lambda p=path: list(g.Walk(p)) if p not in ("", folder, folder + "/") else None,
      lambda p=path: g.Glob(p) if p else None,
    ]
  for path in (none, within, under):
    calls += [
      lambda p=path: g.Remove(p),
      lambda p=path: g.ListDirectory(p),
      lambda p=path: g.DeleteRecursively(p),
      lambda p=path: g.Copy(p, folder + "/to"),
      lambda p=path: g.Copy(p, folder + "/to", overwrite=True),
      lambda p=path: g.Rename(p, folder + "/to"),
      lambda p=path: g.Rename(p, folder + "/to", overwrite=True),
    ]
  for path in (within, under, folder):
    calls += [
      lambda p=path: g.GFile(p, "w").write("x"),
      lambda p=path: g.GFile(p, "a").write("x"),
      lambda p=path: g.GFile(p, "r+").write("x"),
      lambda p=path: g.GFile(p, "w").tell(),
      lambda p=path: g.MkDir(p + "/deep"),
    ]
  calls += [
    lambda: g.ListDirectory(folder + "/file"),
    lambda: g.MkDir(folder + "/file"),
    lambda: g.MakeDirs(folder + "/file"),
    lambda: g.MakeDirs(under),
    lambda: g.MakeDirs(under + "/deep"),
    lambda: g.MkDir(""),
    lambda: g.MakeDirs(""),
    lambda: g.Remove(folder),
    lambda: g.Remove(""),
    lambda: g.DeleteRecursively(""),
    lambda: g.Exists(None),
    lambda: g.Exists(3),
    lambda: g.GFile(None).read(),
    lambda: g.Exists("none://x"),
    lambda: g.GFile("none://x").read(),
    lambda: g.GFile("none://x", "w").write("a"),
    lambda: g.Exists("file://" + os.path.abspath(folder)),
    lambda: sorted(os.listdir(folder)),
  ]
  return _each(calls)


def program_folders(tf):
  folder = _fresh("folders")
  g = tf.gfile
  return _each(
    [
      lambda: g.MkDir(folder + "/a"),
      lambda: g.MkDir(folder + "/a"),
      lambda: g.MkDir(folder + "/a/"),
      lambda: g.MkDir(folder + "/b/c"),
      lambda: g.MakeDirs(folder + "/b/c/d/"),
      lambda: g.MakeDirs(folder + "/b/c/d"),
      lambda: sorted(g.ListDirectory(folder)),
      lambda: sorted(g.ListDirectory(folder + "/b/")),
      lambda: g.ListDirectory(folder + "/a"),
      lambda: g.IsDirectory(folder + "/a/"),
      lambda: g.Exists(folder + "/a/"),
      lambda: g.Stat(folder + "/a").is_directory,
      lambda: g.Remove(folder + "/a"),
      lambda: g.DeleteRecursively(folder + "/a"),
      lambda: g.DeleteRecursively(folder + "/b/"),
      lambda: os.listdir(folder),
      lambda: tf.io.gfile.makedirs(folder + "/x//y/../z"),
      lambda: sorted(os.listdir(folder)),
      lambda: sorted(os.listdir(folder + "/x")),
      lambda: tf.io.gfile.mkdir(folder.encode() + b"/bytes"),
      lambda: tf.io.gfile.isdir(folder.encode() + b"/bytes"),
      lambda: sorted(tf.io.gfile.listdir(folder.encode())),
    ]
  )


def program_moving(tf):
  g = tf.gfile

  def fresh():
    folder = _fresh("moving")
    for name in ("a", "b"):
      _put(folder + "/" + name, name.encode())
    for name in ("d", "e", "e/full"):
      os.mkdir(folder + "/" + name)
    _put(folder + "/e/full/f", b"f")
    return folder

  def left(folder):
    found = []
    for top, _, files in sorted(os.walk(folder)):
      found.append([top, [[f, _bytes(top + "/" + f)] for f in sorted(files)]])
    return found

  names = ["a", "b", "d", "e", "none", "d/", "none/x", "a/x", "d/a"]
  found = []
  for function in (g.Copy, g.Rename):
    for source in ("a", "d", "e", "none", "a/x"):
      for target in names:
        for overwrite in (False, True):
          if function is g.Copy and source == target:
            continue  # TensorFlow empties the file
          folder = fresh()
          result = _each([lambda: function(folder + "/" + source, folder + "/" + target, overwrite)])  # noqa: B023
          found.append([source, target, overwrite, result, left(folder) if source not in ("d", "e") else None])
  return found


def program_deleting(tf):
  folder = _fresh("deleting")
  _put(folder + "/f", b"x")
  os.makedirs(folder + "/d/e")
  _put(folder + "/d/e/f", b"x")
  os.symlink("f", folder + "/link")
  os.symlink("d", folder + "/to_folder")
  os.symlink("nowhere", folder + "/broken")
  g = tf.gfile
  names = lambda: sorted(os.listdir(folder))
  return _each(
    [
      lambda: [g.Exists(folder + "/" + n) for n in names()],
      lambda: [g.IsDirectory(folder + "/" + n) for n in names()],
      lambda: g.Stat(folder + "/broken").length,
      lambda: g.Stat(folder + "/link").length,
      lambda: g.Remove(folder + "/link"),
      names,
      lambda: g.Remove(folder + "/broken"),
      names,
      lambda: g.DeleteRecursively(folder + "/f"),
      names,
      lambda: g.Remove(folder + "/to_folder"),
      names,
      lambda: g.DeleteRecursively(folder + "/d"),
      names,
    ]
  )


def program_walking(tf):
  folder = _fresh("walking")
  for name in ("a/x", "a/y", "b", "c/z"):
    os.makedirs(folder + "/" + name)
  for name in ("f", "g.txt", "a/f", "a/x/f", "c/z/f2"):
    _put(folder + "/" + name, b"")
  w = tf.gfile.Walk

  def plain(walked):
    return sorted([top, sorted(folders), sorted(files)] for top, folders, files in walked)

  def above(walked):
    """Whether each folder comes before those in it, and whether after them."""
    tops = [top for top, _, _ in walked]
    inner = [(tops.index(os.path.dirname(top)), i) for i, top in enumerate(tops) if os.path.dirname(top) in tops]
    return [all(a < b for a, b in inner), all(a > b for a, b in inner)]

  def pruned():
    found = []
    for top, folders, files in tf.io.gfile.walk(folder):
      found.append([top, sorted(folders), sorted(files)])
      if "a" in folders:
        folders.remove("a")
    return sorted(found)

  return _each(
    [
      lambda: plain(w(folder)),
      lambda: plain(w(folder, in_order=False)),
      lambda: plain(w(folder + "/")),
      lambda: plain(w(folder + "/none")),
      lambda: plain(w(folder + "/f")),
      lambda: plain(tf.io.gfile.walk(folder, topdown=False)),
      lambda: above(w(folder)),
      lambda: above(w(folder, in_order=False)),
      lambda: plain(tf.io.gfile.walk(folder.encode())),
      pruned,
    ]
  )


def program_globbing(tf):
  folder = _fresh("globbing")
  for name in ("a/x", "a/y", "b"):
    os.makedirs(folder + "/" + name)
  for name in ("f1", "f2", "g.txt", ".hidden", "a/f1", "a/x/f1", "a/y/f3", "s[1]", "b/Z"):
    _put(folder + "/" + name, b"")
  patterns = [
    "*",
    "f*",
    "f?",
    "*/f1",
    "*/*/f*",
    "f[12]",
    "f[!1]",
    "f[^1]",
    "[a-b]",
    "a*/",
    "*.txt",
    "none*",
    "none/*",
    "none",
    "f1",
    "",
  ]
  patterns += [
    "s\\[1\\]",
    "s[[]1]",
    "./*",
    "a/../*",
    ".*",
    "*/",
    "**",
    "a/**",
    "{a,b}",
    "?",
    "f[0-9]",
    "[",
    "*//f1",
    "F1",
    "b/[A-Z]",
  ]
  here = lambda p: sorted(tf.gfile.Glob(folder + "/" + p))
  return _each(
    [lambda p=p: here(p) for p in patterns]
    + [
      lambda: sorted(tf.gfile.Glob([folder + "/f*", folder + "/g*"])),
      lambda: sorted(tf.gfile.Glob(iter([folder + "/f1", folder + "/f1"]))),
      lambda: tf.gfile.Glob([]),
      lambda: sorted(tf.gfile.Glob(folder)),
      lambda: sorted(tf.gfile.Glob(folder + "/")),
      lambda: sorted(tf.gfile.Glob(folder[:-1] + "?")),
      lambda: tf.gfile.Glob(3),
    ]
  )


def program_statistics(tf):
  folder = _fresh("statistics")
  path = _put(folder + "/f", b"12345")
  os.utime(path, ns=(10**18, 10**18))
  found = tf.gfile.Stat(path)
  return [found.length, found.mtime_nsec, found.is_directory, tf.gfile.Stat(folder).is_directory, type(found).__name__]


def program_texts(tf):
  """Names that are bytes or paths, and other helpers of files."""
  import pathlib

  folder = _fresh("texts")
  path = _put(folder + "/f", b"text\n")
  found = _each(
    [
      lambda: tf.gfile.GFile(path.encode()).read(),
      lambda: tf.io.gfile.GFile(pathlib.Path(path)).read(),
      lambda: tf.gfile.GFile(path.encode()).name,
      lambda: tf.gfile.FastGFile(path).read(),
      lambda: tf.gfile.Open(path).readline(),
      lambda: tf.io.gfile.exists(pathlib.Path(path)),
      lambda: tf.gfile.Copy(path.encode(), folder + "/c"),
      lambda: _bytes(folder + "/c"),
      lambda: tf.gfile.Rename(pathlib.Path(folder + "/c"), folder.encode() + b"/m"),
      lambda: sorted(os.listdir(folder)),
      lambda: tf.io.gfile.stat(pathlib.Path(path)).length,
      lambda: tf.gfile.GFile(path, mode="r").read(),
      lambda: tf.gfile.GFile(name=path).read(),
    ]
  )
  return found

"""tf.gfile and tf.io.gfile: what can be done with names of files and folders.

Errors are tf.errors: NotFoundError, AlreadyExistsError, FailedPreconditionError and others.
"""

import os
import re
import shutil

from millrace import compat
from millrace.framework import errors
from millrace.platform.file import FastGFile, FileIO, GFile, Open, local_path, op_error

__all__ = ["FastGFile", "FileIO", "GFile", "Open"]


class FileStatistics:
  """`length` in bytes, `mtime_nsec` in nanoseconds since 1970, `is_directory`."""

  def __init__(self, length, mtime_nsec, is_directory):
    self.length = length
    self.mtime_nsec = mtime_nsec
    self.is_directory = is_directory


def _with_errors(function, *paths):
  try:
    return function(*paths)
  except OSError as error:
    raise op_error(error, error.filename or paths[0]) from None


def exists(path):
  """True if there is a file or folder of this name."""
  return os.path.exists(local_path(path))


def remove(path):
  """Deletes a file. Raises NotFoundError if there is none."""
  path = local_path(path)
  if os.path.isdir(path) and not os.path.islink(path):
    raise errors.FailedPreconditionError(None, None, "%s; Is a directory" % path)
  _with_errors(os.remove, path)


def mkdir(path):
  """Makes a folder, whose parent has to be there. What is there already is left alone, also a file."""
  path = local_path(path)
  if path and not os.path.exists(path):
    _with_errors(os.mkdir, path)


def makedirs(path):
  """Makes a folder and those that it is in. One that is there already is left alone."""
  path = local_path(path)
  if os.path.exists(path) and not os.path.isdir(path):
    raise errors.FailedPreconditionError(None, None, "%s is not a directory" % path)
  if path:
    _with_errors(lambda p: os.makedirs(p, exist_ok=True), path)


def isdir(path):
  return os.path.isdir(local_path(path))


def listdir(path):
  """Returns the names in a folder, in no particular order."""
  found = local_path(path)
  if not os.path.isdir(found):
    raise errors.NotFoundError(None, None, "Could not find directory %s" % found)
  return _with_errors(os.listdir, found)


def glob(pattern):
  """Returns the names that match a pattern (*, ?, [...]), or any of a list of patterns."""
  if isinstance(pattern, (str, bytes)) or hasattr(pattern, "__fspath__"):
    return _matching(local_path(pattern))
  return [name for one in pattern for name in _matching(local_path(one))]


def _matching(pattern, whole=True):
  """Names that match; a part with a pattern does not match a name with a slash."""
  if not re.search(r"[*?\[\\]", pattern):
    return [pattern] if os.path.exists(pattern) else []
  if whole:
    pattern = pattern.rstrip("/")
  folder, _, last = pattern.rpartition("/")
  if not folder:
    folders = ["/"] if pattern.startswith("/") else ["."]
  else:
    folders = [name for name in _matching(folder, whole=False) if os.path.isdir(name)]
  try:
    matches = re.compile(_expression(last), re.DOTALL).fullmatch
  except re.error:  # of a set whose range ends before it begins
    return []
  return [os.path.join(name, entry) for name in folders for entry in _entries(name) if matches(entry)]


def _entries(folder):
  """The sorted names in a folder; none where they can't be read."""
  try:
    return sorted(_with_errors(os.listdir, folder))
  except errors.PermissionDeniedError:
    return []


def _expression(pattern):
  """The regular expression of a pattern: *, ?, sets such as [a-z] and [^x] or [!x], and characters behind a backslash."""
  parts, rest = [], pattern
  while rest:
    found = re.match(r"\[([!^]?)((?:\]|\\.|[^]\\])(?:\\.|[^]\\])*)\]|\\(.)|(.)", rest, re.DOTALL)
    negated, members, escaped, char = found.groups()
    rest = rest[found.end() :]
    if members:
      literal = re.sub(r"\\(.)|([^-])", lambda m: re.escape(m.group(1) or m.group(2)), members, flags=re.DOTALL)
      parts.append("[%s%s]" % ("^" if negated else "", literal))
    else:
      parts.append(re.escape(escaped) if escaped else {"*": ".*", "?": "."}.get(char, re.escape(char)))
  return "".join(parts)


def copy(src, dst, overwrite=False):
  """Copies a file. Raises AlreadyExistsError if `dst` is there and is not to be overwritten."""
  source, target = local_path(src), local_path(dst)
  if not overwrite and os.path.exists(target):
    raise errors.AlreadyExistsError(None, None, "file already exists")
  _with_errors(os.stat, source)
  if os.path.isdir(source) and not os.path.isdir(target):
    _with_errors(os.listdir, os.path.dirname(target) or ".")
    raise errors.InvalidArgumentError(None, None, "%s; a folder can't be copied as a file" % source)
  if os.path.isdir(source) or os.path.isdir(target):
    raise errors.FailedPreconditionError(None, None, "%s; Is a directory" % target)
  _with_errors(shutil.copyfile, source, target)


def rename(src, dst, overwrite=False):
  """Moves a file or folder. Raises AlreadyExistsError if `dst` is there and is not to be overwritten."""
  source, target = local_path(src), local_path(dst)
  if not overwrite and os.path.exists(target):
    raise errors.AlreadyExistsError(None, None, "file already exists")
  _with_errors(os.replace, source, target)


def rmtree(path):
  """Deletes a folder and all that is in it."""
  path = local_path(path)
  if not os.path.lexists(path):
    raise errors.NotFoundError(None, None, "%s not found" % path)
  _with_errors(shutil.rmtree if os.path.isdir(path) and not os.path.islink(path) else os.remove, path)


def stat(path):
  """Returns a FileStatistics. Raises NotFoundError if there is no such file."""
  path = local_path(path)
  found = _with_errors(os.stat, path)
  return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(path))


def walk(top, topdown=True, onerror=None):
  """Yields (folder, names of folders in it, names of files in it) of a folder and those below it."""
  top = compat.as_str_any(compat.path_to_str(top))
  try:
    listing = sorted(listdir(top))
  except errors.NotFoundError as error:
    if onerror:
      onerror(error)
    return
  files, folders = [], []
  for name in listing:
    (folders if isdir(join(top, name)) else files).append(name)
  here = (top, folders, files)
  if topdown:
    yield here
  for folder in folders:
    yield from walk(join(top, folder), topdown, onerror)
  if not topdown:
    yield here


def join(path, *paths):
  """Returns the parts of a path put together."""
  return os.path.join(compat.path_to_str(path), *[compat.path_to_str(p) for p in paths])


def get_registered_schemes():
  """Returns the schemes of names that can be read."""
  return ["", "file"]


def Exists(filename):
  return exists(filename)


def Remove(filename):
  remove(filename)


def MkDir(dirname):
  mkdir(dirname)


def MakeDirs(dirname):
  makedirs(dirname)


def IsDirectory(dirname):
  return isdir(dirname)


def ListDirectory(dirname):
  return listdir(dirname)


def Glob(filename):
  return glob(filename)


def Copy(oldpath, newpath, overwrite=False):
  copy(oldpath, newpath, overwrite)


def Rename(oldname, newname, overwrite=False):
  rename(oldname, newname, overwrite)


def DeleteRecursively(dirname):
  rmtree(dirname)


def Stat(filename):
  return stat(filename)


def Walk(top, in_order=True):
  return walk(top, topdown=in_order)


# Names of file_io, the module that these functions came from.
file_exists, delete_file, create_dir, recursive_create_dir = exists, remove, mkdir, makedirs
is_directory, list_directory, get_matching_files = isdir, listdir, glob
delete_recursively = rmtree


def file_crc32(filename, block_size=1 << 24):
  """Returns the CRC-32 of a file as a hexadecimal text."""
  import zlib

  crc = 0
  with FileIO(filename, mode="rb") as file:
    chunk = file.read(n=block_size)
    while chunk:
      crc = zlib.crc32(chunk, crc)
      chunk = file.read(n=block_size)
  return hex(crc & 0xFFFFFFFF)


def read_file_to_string(filename, binary_mode=False):
  with FileIO(filename, mode="rb" if binary_mode else "r") as file:
    return file.read()


def write_string_to_file(filename, file_content):
  with FileIO(filename, mode="w") as file:
    file.write(file_content)


def atomic_write_string_to_file(filename, contents, overwrite=True):
  """Writes a file so that others see it whole or not at all."""
  temporary = "%s.tmp%d" % (compat.as_str_any(compat.path_to_str(filename)), os.getpid())
  write_string_to_file(temporary, contents)
  try:
    rename(temporary, filename, overwrite)
  except errors.OpError:
    remove(temporary)
    raise

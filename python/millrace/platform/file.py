"""GFile: a file that is opened when it is first read or written. Texts are UTF-8; positions are bytes."""

import errno
import io
import os

from millrace import compat
from millrace.framework import errors
from millrace.platform import at_exit

MODES = ("r", "w", "a", "r+", "w+", "a+")


def local_path(filename):
  """Returns the path of a local file that may be named as file://. Raises UnimplementedError for other schemes."""
  path = compat.path_to_str(filename)
  if isinstance(path, bytes):
    path = path.decode("utf-8")
  if not isinstance(path, str):
    raise TypeError("Expected binary or unicode string, got %r" % (filename,))
  if "://" not in path:
    return path
  scheme, _, rest = path.partition("://")
  if scheme == "file":
    return rest
  if not scheme.isidentifier():
    return path
  raise errors.UnimplementedError(None, None, "File system scheme '%s' not implemented (file: '%s')" % (scheme, path))


# Codes of TensorFlow, and the errors of the operating system that have them; all others are UNKNOWN.
_CODES = (
  (errors.NOT_FOUND, "ENOENT ENODEV ENXIO ESRCH"),
  (errors.ALREADY_EXISTS, "EEXIST EALREADY"),
  (errors.PERMISSION_DENIED, "EACCES EPERM EROFS"),
  (errors.FAILED_PRECONDITION, "EISDIR ENOTDIR ENOTEMPTY EBADF EBUSY EPIPE ETXTBSY"),
  (errors.INVALID_ARGUMENT, "EINVAL ENAMETOOLONG E2BIG EILSEQ ENOTTY ESPIPE"),
  (errors.RESOURCE_EXHAUSTED, "ENOSPC EDQUOT EMFILE ENFILE EMLINK ENOBUFS ENOMEM"),
  (errors.OUT_OF_RANGE, "EFBIG EOVERFLOW ERANGE"),
  (errors.UNIMPLEMENTED, "ENOSYS ENOTSUP EXDEV"),
  (errors.UNAVAILABLE, "EAGAIN EINTR"),
  (errors.DEADLINE_EXCEEDED, "ETIMEDOUT"),
  (errors.ABORTED, "EDEADLK ESTALE"),
)
_BY_NUMBER = {getattr(errno, name): code for code, names in _CODES for name in names.split() if hasattr(errno, name)}


def op_error(error, path):
  """Returns the error of TensorFlow for one of the operating system."""
  return errors.make(_BY_NUMBER.get(error.errno, errors.UNKNOWN), "%s; %s" % (path, error.strerror or error))


class FileIO:
  """A file of a name and a mode: r, w, a, r+, w+ or a+, with b for bytes instead of texts.

  Reading and writing have a place each. The first write of a file that is not opened for appending empties it.
  """

  def __init__(self, name, mode):
    self._name = name
    self._mode = mode
    self._binary = "b" in mode
    plain = mode.replace("b", "")
    if plain not in MODES:
      raise errors.InvalidArgumentError(None, None, "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")
    self._plain_mode = plain
    self._can_read = plain[0] == "r" or "+" in plain
    self._can_write = plain[0] in "wa" or "+" in plain
    self._reader = None
    self._writer = None

  @property
  def name(self):
    return self._name

  @property
  def mode(self):
    return self._mode

  def _open(self, mode):
    path = local_path(self._name)
    try:
      if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
      return open(path, mode)
    except OSError as error:
      raise op_error(error, path) from None

  def _reading(self):
    if self._reader is None:
      if not self._can_read:
        raise errors.PermissionDeniedError(None, None, "File isn't open for reading")
      self._reader = self._open("rb")
    return self._reader

  def _writing(self):
    if self._writer is None:
      if not self._can_write:
        raise errors.PermissionDeniedError(None, None, "File isn't open for writing")
      self._writer = self._open("ab" if self._plain_mode[0] == "a" else "wb")
      at_exit.flush_at_exit(self)
    return self._writer

  def _said(self, data):
    return data if self._binary else data.decode("utf-8")

  def _said_line(self, line):
    return self._said(line.replace(b"\r", b""))

  def size(self):
    """Returns the size in bytes of the file as it is on disk."""
    path = local_path(self._name)
    try:
      return os.stat(path).st_size
    except OSError as error:
      raise op_error(error, path) from None

  def write(self, file_content):
    """Appends a text or bytes."""
    try:
      self._writing().write(compat.as_bytes(file_content))
    except OSError as error:
      raise op_error(error, self._name) from None

  def read(self, n=-1):
    """Returns `n` bytes, as a text unless the mode has b; without `n`, all that follow."""
    file = self._reading()
    if n < -1:
      raise errors.InvalidArgumentError(None, None, "Can't read a negative number of bytes: %d" % n)
    try:
      return self._said(file.read(n))
    except OSError as error:
      raise op_error(error, self._name) from None

  def seek(self, offset=None, whence=0, position=None):
    """Goes to a byte: from the start (whence 0), from here (1) or from the end (2).

    Raises InvalidArgumentError for one before the start, and OutOfRangeError, at the end, for one behind it.
    """
    file = self._reading()
    if offset is None and position is None:
      raise TypeError("seek(): offset argument required")
    if offset is not None and position is not None:
      raise TypeError("seek(): offset and position may not be set simultaneously.")
    if position is not None:
      offset = position
    if whence not in (0, 1, 2):
      raise errors.InvalidArgumentError(None, None, "Invalid whence argument: %s. Valid values are 0, 1, or 2." % whence)
    here = file.tell()
    end = file.seek(0, io.SEEK_END)
    target = offset + (0, here, end)[whence]
    if target > end:
      raise errors.OutOfRangeError(None, None, "reached end of file")
    if target < 0:
      file.seek(here)
      raise errors.InvalidArgumentError(None, None, "Seeking to a negative position: %d" % target)
    file.seek(target)

  def seekable(self):
    return True

  def readline(self):
    """Returns the next line with its end, or an empty text at the end of the file. Lines have no carriage returns."""
    return self._said_line(self._reading().readline())

  def readlines(self):
    """Returns all lines that follow."""
    return [self._said_line(line) for line in self._reading().readlines()]

  def tell(self):
    """Returns the position in bytes: that of reading, or of writing where nothing can be read."""
    return (self._reading() if self._can_read else self._writing()).tell()

  def __enter__(self):
    return self

  def __exit__(self, kind, value, trace):
    self.close()

  def __iter__(self):
    return self

  def __next__(self):
    line = self.readline()
    if not line:
      raise StopIteration
    return line

  def next(self):
    return self.__next__()

  def flush(self):
    """Gives what was written to the operating system."""
    try:
      if self._writer is not None:
        self._writer.flush()
    except OSError as error:
      raise op_error(error, self._name) from None

  def close(self):
    """Closes the file, also where that raises the error of what was still to be written."""
    files = (self._reader, self._writer)
    self._reader = self._writer = None
    try:
      for file in files:
        if file is not None:
          file.close()
    except OSError as error:
      raise op_error(error, self._name) from None


class GFile(FileIO):
  def __init__(self, name, mode="r"):
    super().__init__(name=name, mode=mode)


class FastGFile(FileIO):
  def __init__(self, name, mode="r"):
    super().__init__(name=name, mode=mode)


Open = GFile

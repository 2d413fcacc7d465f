"""Errors of ops and sessions: one class for each code.

`str()` of an error is its message and, if it knows the op that failed, the lines of Python that made this op.
"""

import re

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
  """What went wrong: a message and a code, with the op (an Operation or None) and its NodeDef if they are known."""

  def __init__(self, node_def, op, message, error_code):
    super().__init__()
    self._node_def = node_def
    self._op = op
    self._message = message
    self._error_code = error_code

  def __reduce__(self):
    # Graphs are not pickled; the message says what was known of the op.
    arguments = (None, None, str(self) if self._op is not None else self._message)
    return (type(self), arguments + (self._error_code,) if type(self) in (OpError, UnknownError) else arguments)

  @property
  def message(self):
    return self._message

  @property
  def op(self):
    return self._op

  @property
  def error_code(self):
    return self._error_code

  @property
  def node_def(self):
    return self._node_def

  def __str__(self):
    if self._op is None:
      return self._message
    return "%s\n\nOriginal stack trace for %r:\n%s" % (self._message, self._op.name, "".join(_creation_lines(self._op)))


def _class(name, code, doc):
  def __init__(self, node_def, op, message):
    OpError.__init__(self, node_def, op, message, code)

  return type(name, (OpError,), {"__init__": __init__, "__doc__": doc, "__module__": __name__, "__qualname__": name})


CancelledError = _class("CancelledError", CANCELLED, "The step or call was cancelled, for instance since its session was closed.")


class UnknownError(OpError):
  """An error of another system, or one that nobody knows more about."""

  def __init__(self, node_def, op, message, error_code=UNKNOWN):
    super().__init__(node_def, op, message, error_code)


InvalidArgumentError = _class("InvalidArgumentError", INVALID_ARGUMENT, "An op got what it does not accept.")
DeadlineExceededError = _class("DeadlineExceededError", DEADLINE_EXCEEDED, "The time for the call was over before it ended.")
NotFoundError = _class("NotFoundError", NOT_FOUND, "A file, device, variable or whatever was asked for is not there.")
AlreadyExistsError = _class("AlreadyExistsError", ALREADY_EXISTS, "What was to be made is there already.")
PermissionDeniedError = _class("PermissionDeniedError", PERMISSION_DENIED, "The caller may not do this.")
ResourceExhaustedError = _class("ResourceExhaustedError", RESOURCE_EXHAUSTED, "Memory or disk is used up.")
FailedPreconditionError = _class(
  "FailedPreconditionError", FAILED_PRECONDITION, "Something has to be done before, such as initializing a variable."
)
AbortedError = _class("AbortedError", ABORTED, "The call was given up because of others; trying again helps.")
OutOfRangeError = _class("OutOfRangeError", OUT_OF_RANGE, "There is nothing more: an input has ended.")
UnimplementedError = _class("UnimplementedError", UNIMPLEMENTED, "There is no implementation for this.")
InternalError = _class("InternalError", INTERNAL, "The system contradicts itself.")
UnavailableError = _class("UnavailableError", UNAVAILABLE, "A task cannot be reached now.")
DataLossError = _class("DataLossError", DATA_LOSS, "Data is lost or damaged.")
UnauthenticatedError = _class("UnauthenticatedError", UNAUTHENTICATED, "The caller did not say who it is.")

_CLASSES = {
  CANCELLED: CancelledError,
  UNKNOWN: UnknownError,
  INVALID_ARGUMENT: InvalidArgumentError,
  DEADLINE_EXCEEDED: DeadlineExceededError,
  NOT_FOUND: NotFoundError,
  ALREADY_EXISTS: AlreadyExistsError,
  PERMISSION_DENIED: PermissionDeniedError,
  RESOURCE_EXHAUSTED: ResourceExhaustedError,
  FAILED_PRECONDITION: FailedPreconditionError,
  ABORTED: AbortedError,
  OUT_OF_RANGE: OutOfRangeError,
  UNIMPLEMENTED: UnimplementedError,
  INTERNAL: InternalError,
  UNAVAILABLE: UnavailableError,
  DATA_LOSS: DataLossError,
  UNAUTHENTICATED: UnauthenticatedError,
}
_CODES = {cls: code for code, cls in _CLASSES.items()}


class OperatorNotAllowedInGraphError(TypeError):
  """A tensor of a graph is used as if it had its value already, such as in a loop of Python."""


def exception_type_from_error_code(error_code):
  """The class of a code. Raises KeyError for what is no code of an error."""
  return _CLASSES[error_code]


def error_code_from_exception_type(cls):
  """The code of a class. For a class that has none, returns an UnknownError that says so, as TensorFlow does."""
  try:
    return _CODES[cls]
  except KeyError:
    return UnknownError(None, None, "Unknown class exception: {}".format(cls), None)


def make(code, message, node_def=None, op=None):
  """Returns an error of this code; of a code without a class, an UnknownError that has the number."""
  cls = _CLASSES.get(code)
  if cls is None:
    return UnknownError(node_def, op, message, code)
  return cls(node_def, op, message)


class raise_exception_on_not_ok_status:
  """A context whose value is a status object; on leaving, raises the error that the status has got meanwhile."""

  class _Status:
    def __init__(self):
      self.code = OK
      self.message = ""

    def set(self, code, message):
      self.code, self.message = code, message

  def __enter__(self):
    self.status = self._Status()
    return self.status

  def __exit__(self, kind, value, trace):
    if kind is None and self.status.code != OK:
      raise make(self.status.code, self.status.message)
    return False


_NODE_TAG = re.compile(r"\{\{node ([A-Za-z0-9.][A-Za-z0-9_.\-/]*)\}\}")


def failing_op(message, graph):
  """Returns the first op of `graph` that a tag `{{node NAME}}` of the message names, or None."""
  for name in _NODE_TAG.findall(message):
    try:
      return graph.get_operation_by_name(name)
    except (KeyError, ValueError):
      continue
  return None


def interpolate(message, graph):
  """Replaces each tag `{{node NAME}}` by the node's name and the line of Python that made it."""

  def described(match):
    name = match.group(1)
    try:
      op = graph.get_operation_by_name(name)
    except (KeyError, ValueError):
      return "node %s" % name
    frames = _user_frames(op)
    if not frames:
      return "node %s" % name
    return "node %s (defined at %s:%d) " % (name, frames[-1][0], frames[-1][1])

  return _NODE_TAG.sub(described, message)


def _user_frames(op):
  """Frames (file, line, function, text) that made the op, outermost first, without this package's own."""
  frames = getattr(op, "traceback", None)
  return [frame for frame in frames or () if not is_internal_file(frame[0])]


def is_internal_file(path):
  """True for this package's own files, which users do not want to see in traces, but for its tests."""
  return path.startswith((*_PACKAGE_FOLDERS, "<frozen"))


def _package_folders():
  import os

  folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
  return (folder + os.sep, os.path.realpath(folder) + os.sep)


_PACKAGE_FOLDERS = _package_folders()


def _creation_lines(op):
  for frame in _user_frames(op):
    yield '  File "%s", line %d, in %s\n' % (frame[0], frame[1], frame[2])
    if len(frame) > 3 and frame[3]:
      yield "    %s\n" % frame[3]

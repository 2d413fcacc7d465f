"""The default session of a thread."""

import threading


class _Stack(threading.local):
  def __init__(self):
    self.sessions = []


_stack = _Stack()


class AsDefault:
  """What `session.as_default()` returns: within it, the session is the default one of this thread."""

  __slots__ = ("_session", "enforce_nesting")

  def __init__(self, session):
    self._session = session
    self.enforce_nesting = True

  def __enter__(self):
    _stack.sessions.append(self._session)
    return self._session

  def __exit__(self, kind, value, trace):
    sessions = _stack.sessions
    if self.enforce_nesting and (not sessions or sessions[-1] is not self._session):
      raise AssertionError("Nesting violated for default stack of %s objects" % type(self._session))
    for place in range(len(sessions) - 1, -1, -1):
      if sessions[place] is self._session:
        del sessions[place]
        break
    return False


def default_session(session):
  """A context in which `session` is the default one of this thread."""
  return AsDefault(session)


def get_default_session():
  """Returns the default session of this thread, or None."""
  return _stack.sessions[-1] if _stack.sessions else None


def _session_for(graph, session, what, hint):
  if session is not None:
    if session.graph is not graph:
      raise ValueError(
        "Cannot use the given session to %s: the %s's graph is different from the session's graph." % (what, what.split()[-1])
      )
    return session
  session = get_default_session()
  if session is None:
    raise ValueError(
      "Cannot %s using `%s()`: No default session is registered. Use `with sess.as_default()%s` or pass an explicit session to "
      "`%s(session=sess)`" % (what, hint, ":" if hint == "run" else "", hint)
    )
  if session.graph is not graph:
    raise ValueError(
      "Cannot use the default session to %s: the %s's graph is different from the session's graph. Pass an explicit session to "
      "`%s(session=sess)`." % (what, what.split()[-1], hint)
    )
  return session


def eval_using_default_session(tensors, feed_dict, graph, session=None):
  """Implements Tensor.eval."""
  return _session_for(graph, session, "evaluate tensor", "eval").run(tensors, feed_dict)


def run_using_default_session(operation, feed_dict, graph, session=None):
  """Implements Operation.run."""
  _session_for(graph, session, "execute operation", "run").run(operation, feed_dict)

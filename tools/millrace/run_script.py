"""The program that `millrace run` has Python run: executes the user's script unchanged, except for tf.train.Server.

Arguments: the command `millrace`, the number of flags that follow for each of its servers, these flags, the script and its own
arguments. When the script imports TensorFlow, tf.train.Server (which is tf.distribute.Server) becomes a `millrace
server` in a child process; everything else is TensorFlow's. Where TensorFlow is not installed and Millrace's package is, `import
tensorflow` is that package, and its servers are such children, too. A child ends with this process, in whatever way that ends:
it holds the other end of a socket.

This text is in SOURCE, too. A process that multiprocessing spawns runs the same script and executes it as well; other programs
that the script starts do not.
"""

import sys

# Modules imported here are Python's, whatever is in the current folder. The script's own folder comes first later.
FOLDER_FIRST = sys.path[:1] == [""]
if FOLDER_FIRST:
  del sys.path[0]

import _thread  # noqa: E402
import importlib.abc  # noqa: E402
import importlib.util  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import runpy  # noqa: E402
import signal  # noqa: E402
import socket  # noqa: E402
import subprocess  # noqa: E402
import time  # noqa: E402

# Modules that have a class Server: TensorFlow's, and that of Millrace's package.
SERVER_LIBS = ("tensorflow.python.training.server_lib", "millrace.train.server")
EXIT_USAGE = 2  # of the command
ITS_CONFIG = "TF_CONFIG: "  # begins what the command says of the cluster that Child writes for it
START_SECONDS = 30
STOP_SECONDS = 5


class Child:
  """A `millrace server` that listens, or reported why it does not.

  It ends with the process and not before: TensorFlow closes open sessions when the interpreter ends, and would
  wait for their server.
  """

  def __init__(self, command, flags, server_def):
    self._command = command
    ours, its = socket.socketpair()
    # TF_CONFIG can describe any set of task numbers.
    environment = dict(os.environ, TF_CONFIG=tf_config(server_def))
    with its:
      its.set_inheritable(True)
      # Ctrl-C is for the script, which may want to save the state of its server.
      self.process = subprocess.Popen(
        [command, "server", "--parent_fd", str(its.fileno())] + flags,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        pass_fds=[its.fileno()],
        start_new_session=True,
      )
    self.said = first_line(ours, START_SECONDS)
    # A number, which the interpreter does not close at its end.
    self._parent_fd = ours.detach()
    self.stopped = False  # by this process
    CHILDREN.append(self)
    self.target = self.said if self.said.startswith("grpc://") else None
    if self.target is None:
      self._end()

  def _end(self, grace=0):
    """Waits for the end, which was requested, and enforces it."""
    try:
      self.process.wait(grace + STOP_SECONDS)
    except subprocess.TimeoutExpired:
      self.process.kill()
      self.process.wait()

  def let_go(self):
    """Called in a forked process: the server is its parent's."""
    if self._parent_fd is not None:
      os.close(self._parent_fd)
      self._parent_fd = None

  def stop(self, grace):
    self.stopped = True
    if self.process.poll() is None:
      address = self.target[len("grpc://") :]
      try:
        asked = subprocess.run(
          [self._command, "stop", "--grace", str(grace), address],
          stdin=subprocess.DEVNULL,
          stdout=subprocess.DEVNULL,
          stderr=subprocess.DEVNULL,
          timeout=grace + STOP_SECONDS,
        )
        heard = asked.returncode == 0
      except subprocess.TimeoutExpired:
        heard = False
      if not heard:
        self.process.terminate()
      self._end(grace)
    self.let_go()


CHILDREN = []
os.register_at_fork(after_in_child=lambda: [child.let_go() for child in CHILDREN])


def stop_at_second_interrupt():
  """One Ctrl-C is Python's KeyboardInterrupt, with the servers alive. A step that waits within TensorFlow keeps Python
  from raising it; the second one stops the servers, which ends the step."""
  ours, pythons = socket.socketpair()
  pythons.setblocking(False)
  before = signal.set_wakeup_fd(pythons.fileno(), warn_on_full_buffer=False)
  if before != -1:  # set by other code
    signal.set_wakeup_fd(before)
    return

  def forget():
    """Called in a forked process: a terminal's Ctrl-C reaches it too, and would count as this one's second."""
    now = signal.set_wakeup_fd(-1)
    if now not in (-1, pythons.fileno()):  # the script's own
      signal.set_wakeup_fd(now)
    ours.close()
    pythons.close()

  os.register_at_fork(after_in_child=forget)

  def watch(keep_open=pythons):
    interrupts = 0
    while True:
      for number in ours.recv(64):
        interrupts += number == signal.SIGINT
      if interrupts >= 2:
        for child in CHILDREN:
          child.stopped = True
          if child.process.returncode is None:
            child.process.send_signal(signal.SIGTERM)

  # Not one of `threading`'s: a script may join all threads of those but its own.
  _thread.start_new_thread(watch, ())


def first_line(sock, seconds):
  """Returns the first line from the other end; what was received if it closes or the time is over."""
  end = time.monotonic() + seconds
  text = b""
  while not text.endswith(b"\n"):
    sock.settimeout(max(end - time.monotonic(), 0.001))
    try:
      piece = sock.recv(4096)
    except socket.timeout:
      return "millrace server did not say within %d s where it listens" % seconds
    if not piece:
      break
    text += piece
  sock.settimeout(None)
  return text.decode(errors="replace").rstrip("\n")


def tf_config(server_def):
  cluster = {job.name: {str(i): address for i, address in sorted(job.tasks.items())} for job in server_def.cluster.job}
  return json.dumps({"cluster": cluster, "task": {"type": server_def.job_name, "index": server_def.task_index}})


def own_tasks(server_def):
  """The addresses of the server's own job by their tasks; none if the cluster lacks that job."""
  return next((dict(job.tasks) for job in server_def.cluster.job if job.name == server_def.job_name), {})


def words_for_the_port(server_def):
  """What TensorFlow says first if the address of this task has no port; "" if it has one."""
  address = own_tasks(server_def)[server_def.task_index]
  _, colon, port = address.rpartition(":")
  if colon and port.isdigit() and int(port) < 1 << 16:
    return ""
  return 'Could not parse port for local server from "%s". ' % address


def config_flags(config, given):
  """Returns the flags for a server from a ConfigProto, except those that are given; prints a line for unused fields."""
  values = {"--inter_op_threads": config.inter_op_parallelism_threads, "--intra_op_threads": config.intra_op_parallelism_threads}
  values = {flag: str(value) for flag, value in values.items() if value > 0}
  counts = ["%s=%d" % (kind, config.device_count[kind]) for kind in ("CPU", "GPU") if kind in config.device_count]
  if counts:
    values["--device_count"] = ",".join(counts)
  used = {"device_count", "gpu_options", "inter_op_parallelism_threads", "intra_op_parallelism_threads"}
  unused = sorted(field.name for field, _ in config.ListFields() if field.name not in used)
  unused += gpu_flags(config.gpu_options, values)
  if unused and not config_flags.warned:
    config_flags.warned = True
    print(
      "millrace run: a server's config has no use for %s; sessions have configs of their own" % ", ".join(unused), file=sys.stderr
    )
  names = {flag.split("=")[0] for flag in given}
  return [
    "%s=%s" % (flag, one)
    for flag, value in values.items()
    if flag not in names
    for one in (value if isinstance(value, list) else [value])
  ]


config_flags.warned = False


def gpu_flags(options, values):
  """Adds the flags for a server from a GPUOptions; returns the fields that have none."""
  if options.per_process_gpu_memory_fraction:
    values["--gpu_memory_fraction"] = repr(options.per_process_gpu_memory_fraction)
  if options.allow_growth:
    values["--gpu_allow_growth"] = "true"
  if options.visible_device_list:
    values["--visible_devices"] = options.visible_device_list
  used = {"per_process_gpu_memory_fraction", "allow_growth", "visible_device_list", "experimental"}
  unused = ["gpu_options." + field.name for field, _ in options.ListFields() if field.name not in used]
  # GPUOptions of old versions of TensorFlow have no such part.
  experimental = getattr(options, "experimental", None)
  for field, value in experimental.ListFields() if experimental is not None else ():
    if field.name == "virtual_devices":
      values["--virtual_devices"] = [",".join("%.9g" % size for size in card.memory_limit_mb) or "whole" for card in value]
    else:
      unused.append("gpu_options.experimental." + field.name)
  return unused


def replace_server(lib, command, flags):
  """Replaces the methods of lib.Server, to which the script may have several references."""
  errors = lib.errors

  def init(self, server_or_cluster_def, job_name=None, task_index=None, protocol=None, config=None, start=True):
    self._child = None
    self._server_def = lib._make_server_def(server_or_cluster_def, job_name, task_index, protocol, config)
    if self._server_def.protocol not in ("grpc", ""):
      raise errors.NotFoundError(
        None,
        None,
        "No server factory registered for the given ServerDef: the protocol is '%s', and "
        "Millrace speaks grpc" % self._server_def.protocol,
      )
    if not own_tasks(self._server_def):
      raise errors.InternalError(None, None, 'Job "%s" was not defined in cluster' % self._server_def.job_name)
    if self._server_def.task_index not in own_tasks(self._server_def):
      words = 'Task %d was not defined in job "%s"'
      raise errors.InternalError(None, None, words % (self._server_def.task_index, self._server_def.job_name))
    if start:
      self.start()

  def start(self):
    """Starts this server, again if it was stopped."""
    if self._child is not None and self._child.process.poll() is None:
      return
    own = config_flags(self._server_def.default_session_config, flags)
    child = Child(command, flags + own, self._server_def)
    if child.target is None:
      reason = child.said or "millrace server ended with status %d" % child.process.returncode
      if reason.startswith(ITS_CONFIG):
        raise errors.InvalidArgumentError(None, None, words_for_the_port(self._server_def) + reason[len(ITS_CONFIG) :])
      kind = errors.InternalError if child.process.returncode == EXIT_USAGE else errors.UnknownError
      raise kind(None, None, "Could not start gRPC server: " + reason)
    self._child = child

  def join(self):
    """Blocks until the server has ended: by stop(), `millrace stop` or a signal to it. An error if it ended otherwise, as
    the process itself would have with a server inside."""
    if self._child is None:
      raise errors.FailedPreconditionError(None, None, "The server was not started")
    code = self._child.process.wait()
    if code != 0 and not self._child.stopped:
      end = "was ended by signal %d" % -code if code < 0 else "ended with status %d" % code
      raise errors.UnavailableError(None, None, "millrace server at %s %s" % (self._child.target, end))

  def stop(self, grace=1.0):
    """Stops this server and returns when it has ended. Running steps have `grace` seconds, at most 1.2."""
    if self._child is not None:
      self._child.stop(grace)

  def target(self):
    if self._child is not None:
      return self._child.target
    address = own_tasks(self._server_def)[self._server_def.task_index]
    if not address.endswith(":0"):
      return "grpc://" + address
    raise errors.FailedPreconditionError(None, None, "The server has no port before start()")

  lib.Server.__init__ = init
  lib.Server.start = start
  lib.Server.join = join
  lib.Server.stop = stop
  lib.Server.target = property(target, doc=lib.Server.target.__doc__)
  if "__del__" in vars(lib.Server):
    del lib.Server.__del__


class WhenImported(importlib.abc.MetaPathFinder):
  """Calls `then(module)` once the module `name` has been imported."""

  def __init__(self, name, then):
    self._name = name
    self._then = then

  def find_spec(self, name, path=None, target=None):
    if name != self._name:
      return None
    sys.meta_path.remove(self)
    spec = importlib.util.find_spec(name)
    if spec is not None:
      execute = spec.loader.exec_module

      def execute_and_call(module):
        execute(module)
        self._then(module)

      spec.loader.exec_module = execute_and_call
    return spec


def when_imported(name, then):
  if name in sys.modules:
    then(sys.modules[name])
  else:
    sys.meta_path.insert(0, WhenImported(name, then))


class WhenMissing(importlib.abc.MetaPathFinder):
  """Finds what is asked for last: where nothing else is `tensorflow`, Millrace's package is."""

  def find_spec(self, name, path=None, target=None):
    if name != "tensorflow" or importlib.util.find_spec("millrace") is None:
      return None
    sys.meta_path.remove(self)
    import millrace

    millrace.install()
    return importlib.util.find_spec(name)


class Hook:
  """An object that a spawned process unpickles first, before it imports the script: unpickling calls the code that
  executes this file there."""

  def __init__(self, command, flags):
    self._given = {"__name__": "millrace_run", "SOURCE": SOURCE, "COMMAND": command, "FLAGS": flags}

  def __reduce__(self):
    return exec, (SOURCE, self._given)


def reach_spawned(spawn, hook):
  """Makes multiprocessing pass a `hook` to every process that it starts anew ("spawn", "forkserver"), under a
  key that Python's own preparation ignores."""
  prepare = spawn.get_preparation_data
  spawn.get_preparation_data = lambda name: dict(prepare(name), millrace_run=hook)


def install(command, flags):
  for name in SERVER_LIBS:
    when_imported(name, lambda lib: replace_server(lib, command, flags))
  sys.meta_path.append(WhenMissing())
  when_imported("multiprocessing.spawn", lambda spawn: reach_spawned(spawn, Hook(command, flags)))


def main():
  command, count = sys.argv[1], int(sys.argv[2])
  flags, sys.argv = sys.argv[3 : 3 + count], sys.argv[3 + count :]
  script = sys.argv[0]
  install(command, flags)
  if not os.path.exists(script):
    sys.exit("millrace run: there is no script '%s'" % script)
  if FOLDER_FIRST:
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
  stop_at_second_interrupt()
  runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
  main()
else:  # by a Hook
  install(COMMAND, FLAGS)  # noqa: F821
  stop_at_second_interrupt()

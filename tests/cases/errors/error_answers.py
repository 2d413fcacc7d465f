"""What a server says to a mutant: the code and the text of its first error, or that it ran, waits or has ended."""

import dataclasses
import re

import grpc
import raw_client as raw
from error_mutants import placed
from error_words import first_words

OK = 0
# Of a step, and of one that blocks on stock. Stock's server does not end a step, but the call does.
STEP_MS, SHORT_STEP_MS = 3_000, 300
CALL_S = 20
UNAVAILABLE, DEADLINE_EXCEEDED = 14, 4


@dataclasses.dataclass(frozen=True)
class Answer:
  code: int = OK
  text: str = ""
  ended: str = ""  # how the server failed to answer: "aborts" or "blocks"

  def words(self):
    return first_words(uncounted(self.text.split("\n\t [[")[0]))

  def is_of_one_process(self):
    """Whether another process of stock gives other words. Protobuf's texts for debugging begin in several ways, by chance;
    where they are the first words, those differ."""
    return bool(re.match(r"(From /job:\S+:\n)?KernelDef 'goo\.gle/debug", self.text))

  def short(self):
    if self.ended:
      return self.ended
    code = next((c.name for c in grpc.StatusCode if c.value[0] == self.code), str(self.code))
    return "%s: %s" % (code, self.text.replace("\n", " | ")[:300]) if self.code else "no error"


def options():
  """Of sessions: nothing is rewritten, so that what is asked is what runs."""
  config = raw.new("ConfigProto")
  config.graph_options.optimizer_options.opt_level = -1
  config.graph_options.rewrite_options.disable_meta_optimizer = True
  return config


def plain(text):
  """Without the number of the case, by which a server tells it from others."""
  return re.sub(r"case\d{6}", "case", text)


# What servers count, or choose by chance: steps, resources without a name, lists that belong to a step, files of a save.
_COUNTED = [
  (re.compile(r"__per_step_\d+"), "__per_step_N"),
  (re.compile(r"_\d+_case"), "_N_case"),
  (re.compile(r"((?:_stacks|_tensor_arrays|TensorArray )case/\w+)_\d+"), r"\1_N"),
  (re.compile(r"\.tempstate\d+"), ".tempstateN"),
]


def uncounted(text):
  """With N for numbers that differ between two runs of the same server."""
  for pattern, instead in _COUNTED:
    text = pattern.sub(instead, text)
  return text


def create_request(mutant, number):
  request = raw.new("CreateSessionRequest", config=options())
  request.graph_def.ParseFromString(placed(mutant.graph, number))
  return request


def ask(wire, mutant, number, step_s=CALL_S, step_ms=STEP_MS):
  """The answer of the server to a mutant, in a session of its own. step_s: when the call of a step ends;
  step_ms: when the server ends it."""
  code, reply = wire.call("MasterService/CreateSession", create_request(mutant, number), CALL_S)
  if code != grpc.StatusCode.OK:
    return Answer(code.value[0], plain(reply))
  handle, answer = reply.session_handle, Answer()
  for index, names in enumerate(mutant.steps):
    fetches = mutant.fetches if index == len(mutant.steps) - 1 else ()
    answer = _step(wire, handle, mutant, number, names, fetches, step_s, step_ms)
    if answer.code != OK:
      break
  if answer.code not in (UNAVAILABLE, DEADLINE_EXCEEDED):
    wire.close(handle)
  return answer


def _step(wire, handle, mutant, number, names, fetches, step_s, step_ms):
  request = raw.new("RunStepRequest", session_handle=handle, store_errors_in_response_body=True)
  request.target.extend(placed(n.encode(), number).decode() for n in names)
  request.options.timeout_in_ms = step_ms
  for name, value in mutant.feeds:
    fed = request.feed.add(name=placed(name.encode(), number).decode())
    fed.tensor.ParseFromString(value)
  request.fetch.extend(placed(n.encode(), number).decode() for n in fetches)
  code, reply = wire.call_bytes("MasterService/RunStep", request.SerializeToString(), step_s)
  if code != grpc.StatusCode.OK:
    return Answer(code.value[0], plain(reply))
  number, text = status_of(reply)
  return Answer(number, plain(text))


def status_of(reply):
  """Code and text of a RunStepResponse. Its text may have any bytes of a value, which the message's class does not take."""
  code, text, at = 0, b"", 0

  def varint():
    nonlocal at
    value = shift = 0
    while True:
      byte = reply[at]
      at += 1
      value |= (byte & 127) << shift
      shift += 7
      if byte < 128:
        return value

  while at < len(reply):
    field, kind = divmod(varint(), 8)
    if kind == 0:
      value = varint()
      code = value if field == 3 else code
    elif kind == 2:
      size = varint()
      text = reply[at : at + size] if field == 4 else text
      at += size
    else:
      raise ValueError("a reply has a field %d of kind %d" % (field, kind))
  return code, text.decode(errors="replace")

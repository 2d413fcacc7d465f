"""Calls of servers by hand: any bytes to any method, messages of proto/ without the wheel's classes.

wire = raw_client.Wire("127.0.0.1:2222")
reply = wire.call("MasterService/CreateSession", wire.new("CreateSessionRequest", graph_def=graph))
"""

import functools
import pathlib
import subprocess
import tempfile

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

ROOT = pathlib.Path(__file__).resolve().parents[2]

FLOAT, INT32, STRING, INT64, BOOL, RESOURCE, VARIANT = 1, 3, 7, 9, 10, 20, 21

# Method -> prefix of its messages' names.
METHODS = {
  "MasterService/" + name: name
  for name in (
    "CreateSession",
    "ExtendSession",
    "PartialRunSetup",
    "RunStep",
    "CloseSession",
    "ListDevices",
    "Reset",
    "MakeCallable",
    "RunCallable",
    "ReleaseCallable",
  )
} | {
  "WorkerService/" + name: name
  for name in (
    "GetStatus",
    "CreateWorkerSession",
    "DeleteWorkerSession",
    "RegisterGraph",
    "DeregisterGraph",
    "RunGraph",
    "CleanupGraph",
    "CleanupAll",
    "RecvTensor",
    "RecvBuf",
    "Logging",
    "Tracing",
    "CompleteGroup",
    "CompleteInstance",
    "GetStepSequence",
    "MarkRecvFinished",
  )
}


@functools.cache
def pool():
  """The messages of proto/, in a pool of their own: the default one may hold TensorFlow's."""
  files = sorted(str(p.relative_to(ROOT)) for p in (ROOT / "proto").rglob("*.proto"))
  with tempfile.NamedTemporaryFile(suffix=".bin") as out:
    subprocess.run(["protoc", "-I.", "--include_imports", f"--descriptor_set_out={out.name}", *files], cwd=ROOT, check=True)
    parsed = descriptor_pb2.FileDescriptorSet.FromString(out.read())
  result = descriptor_pool.DescriptorPool()
  for file in parsed.file:
    result.Add(file)
  return result


def new(name, /, **fields):
  return message_factory.GetMessageClass(pool().FindMessageTypeByName("tensorflow." + name))(**fields)


def attr(value):
  """An attribute: dtypes and shapes as `type_of(...)`, `shape_of(...)`, tensors as messages, others as they are."""
  if isinstance(value, bool):
    return new("AttrValue", b=value)
  if isinstance(value, int):
    return new("AttrValue", i=value)
  if isinstance(value, float):
    return new("AttrValue", f=value)
  if isinstance(value, bytes):
    return new("AttrValue", s=value)
  if value.DESCRIPTOR.name == "TensorProto":
    return new("AttrValue", tensor=value)
  return value


def type_of(dtype):
  return new("AttrValue", type=dtype)


def shape_of(*dims):
  return new("AttrValue", shape=dims_of(*dims))


def dims_of(*dims):
  shape = new("TensorShapeProto")
  for size in dims:
    shape.dim.add(size=size)
  return shape


def tensor(dtype, dims=(), **content):
  return new("TensorProto", dtype=dtype, tensor_shape=dims_of(*dims), **content)


def node(name, op, /, *inputs, device="", **attrs):
  result = new("NodeDef", name=name, op=op, device=device)
  result.input.extend(inputs)
  for key, value in attrs.items():
    result.attr[key].CopyFrom(attr(value))
  return result


def const(name, value, dtype=FLOAT, device=""):
  """A constant of a TensorProto, or a scalar; bytes are a string."""
  if isinstance(value, bytes):
    value = tensor(STRING, string_val=[value])
  if isinstance(value, (int, float)):
    value = tensor(dtype, **{{FLOAT: "float_val", INT32: "int_val", INT64: "int64_val"}[dtype]: [value]})
  return node(name, "Const", device=device, dtype=type_of(value.dtype), value=value)


def graph(*nodes, producer=1882, **fields):
  result = new("GraphDef", **fields)
  result.node.extend(nodes)
  result.versions.producer = producer
  return result


class Wire:
  """One channel to one server."""

  def __init__(self, address):
    self.channel = grpc.insecure_channel(
      address,
      options=[
        ("grpc.max_send_message_length", -1),
        ("grpc.max_receive_message_length", -1),
        ("grpc.use_local_subchannel_pool", 1),
      ],
    )

  def __enter__(self):
    return self

  def __exit__(self, *unused):
    self.channel.close()

  def call_bytes(self, method, payload, timeout=20, compression=None):
    """(status code, reply or details)."""
    try:
      call = self.channel.unary_unary("/tensorflow." + method)
      return grpc.StatusCode.OK, call(payload, timeout=timeout, compression=compression)
    except grpc.RpcError as e:
      return e.code(), e.details()

  def call(self, method, request, timeout=20):
    """The same, the reply as a message."""
    code, reply = self.call_bytes(method, request.SerializeToString(), timeout)
    if code == grpc.StatusCode.OK:
      reply = type(new(METHODS[method] + "Response")).FromString(reply)
    return code, reply

  def create(self, graph_def, **fields):
    return self.call("MasterService/CreateSession", new("CreateSessionRequest", graph_def=graph_def, **fields))

  def run(self, handle, fetch=(), target=(), feed=(), timeout_in_ms=10_000):
    """(code, reply or message) of a step, whether its status is that of the call or in the body."""
    request = new("RunStepRequest", session_handle=handle, store_errors_in_response_body=True)
    request.fetch.extend(fetch)
    request.target.extend(target)
    for name, value in feed:
      request.feed.add(name=name, tensor=value)
    request.options.timeout_in_ms = timeout_in_ms
    code, reply = self.call("MasterService/RunStep", request)
    if code == grpc.StatusCode.OK and reply.status_code:
      by_number = {c.value[0]: c for c in grpc.StatusCode}
      return by_number[reply.status_code], reply.status_error_message
    return code, reply

  def close(self, handle):
    return self.call("MasterService/CloseSession", new("CloseSessionRequest", session_handle=handle))

"""The makers of error cases, and what is counted of their answers; no server is asked."""

import json
import math
import os
import sys

import pytest

pytest.importorskip("grpc")
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import error_answers  # noqa: E402
import error_attrs  # noqa: E402
import error_inputs  # noqa: E402
import error_made_samples  # noqa: E402
import error_mutants  # noqa: E402
import error_report  # noqa: E402
import error_samples  # noqa: E402
import error_store  # noqa: E402
import error_tensors as et  # noqa: E402
import raw_client as raw  # noqa: E402
from error_samples import PREFIX  # noqa: E402


def arg(name, **fields):
  return dict(dict(name=name, type=0, type_attr="", number_attr="", type_list_attr="", is_ref=False), **fields)


SCHEMAS = {
  "Pack": dict(
    inputs=[arg("values", type_attr="T", number_attr="N")],
    outputs=[arg("output", type_attr="T")],
    attrs=[
      dict(name="N", type="int", has_default=False, minimum=1, allowed=None),
      dict(name="T", type="type", has_default=False, minimum=None, allowed=[et.FLOAT, et.INT32]),
      dict(name="axis", type="int", has_default=True, default=0, minimum=None, allowed=None),
    ],
  ),
  "QueueSizeV2": dict(inputs=[arg("handle", type=et.RESOURCE)], outputs=[arg("size", type=et.INT32)], attrs=[]),
  "FIFOQueueV2": dict(inputs=[], outputs=[], attrs=[dict(name="container", type="string", has_default=True, default="")]),
}


def floats(*dims):
  count = math.prod(dims)
  return et.Value(et.FLOAT, dims, tuple(et.element(et.FLOAT, i) for i in range(count)))


def pack():
  a, b, op = (PREFIX + "/" + n for n in ("a", "b", "op"))
  nodes = [raw.node(n, "Placeholder", dtype=raw.type_of(et.FLOAT)) for n in (a, b)]
  nodes.append(raw.node(op, "Pack", a, b, T=raw.type_of(et.FLOAT), N=2))
  feeds = {a: floats(2, 3).proto(), b: floats(2, 3).proto()}
  return error_samples.Sample("Pack", {n.name: n for n in nodes}, feeds, [[op]], 1882, False)


def queue():
  q, op = PREFIX + "/q", PREFIX + "/op"
  nodes = [raw.node(q, "FIFOQueueV2"), raw.node(op, "QueueSizeV2", q + ":0")]
  return error_samples.Sample("QueueSizeV2", {n.name: n for n in nodes}, {}, [[op]], 1882, False)


def graph_of(mutant):
  graph = raw.new("GraphDef")
  graph.ParseFromString(mutant.graph)
  return {n.name: n for n in graph.node}


def mutant_of(sample, title):
  return next(m for m in error_mutants.mutants_of(sample, SCHEMAS) if m.title == title)


def test_values_and_back():
  for value in (floats(2, 3), et.zeros(et.STRING, (2,)), et.zeros(et.BFLOAT16), et.zeros(8, (0, 4))):
    assert et.of_proto(value.proto()) == value
  assert et.of_proto(raw.tensor(et.RESOURCE)) is None
  assert et.of_proto(raw.tensor(et.FLOAT, [2], float_val=[1.0])) is None


def test_ranks_and_sizes():
  value = floats(2, 3)
  assert {what: v.dims for what, v in et.wrong_ranks(value)} == {"rank+1": (1, 2, 3), "rank-1": (3,), "scalar": ()}
  sizes = dict(et.wrong_sizes(value))
  assert {what: v.dims for what, v in sizes.items()} == {
    "first+1": (3, 3),
    "first=0": (0, 3),
    "last+1": (2, 4),
    "last=0": (2, 0),
  }
  assert sizes["first+1"].elements == value.elements + value.elements[3:]
  assert sizes["last+1"].elements == value.elements[:3] + value.elements[2:3] + value.elements[3:] + value.elements[5:]
  assert [what for what, _ in et.wrong_ranks(floats())] == ["rank+1"]
  assert not list(et.wrong_sizes(floats()))
  assert [what for what, _ in et.wrong_sizes(floats(4))] == ["first+1", "first=0"]
  assert all(math.prod(v.dims) == len(v.elements) for _, v in et.wrong_values(value))
  assert dict(et.wrong_sizes(floats(0)))["first+1"].elements == (bytes(4),)


def test_elements():
  def numbers(dtype):
    return [what for what, _ in et.wrong_elements(et.zeros(dtype, (2,)))]

  assert numbers(et.FLOAT) == numbers(et.BFLOAT16) == numbers(et.HALF) == ["nan", "-1", "huge"]
  assert numbers(et.INT32) == ["-1", "huge"]  # it is 0 already
  assert numbers(4) == ["huge"]  # uint8
  assert numbers(et.BOOL) == []
  assert numbers(et.STRING) == ["junk"]
  huge = dict(et.wrong_elements(et.zeros(et.INT64, (1,))))["huge"]
  assert huge.elements[0] == b"\xff" * 7 + b"\x7f"


def test_inputs_of_a_list_are_made_wrong_in_turn():
  sample = pack()
  assert error_inputs.input_types(sample.tested(), SCHEMAS["Pack"]) == [(et.FLOAT, False)] * 2
  titles = [title for title, _ in error_inputs.changes(sample, SCHEMAS["Pack"])]
  assert "input0.rank+1" in titles and "input1.last=0" in titles and "input1.type" in titles


def test_the_kernel_is_asked_by_what_is_fed():
  mutant = mutant_of(pack(), "input1.rank+1.kernel")
  graph = graph_of(mutant)
  assert graph[PREFIX + "/b"].op == "Placeholder" and graph[PREFIX + "/b"].attr["shape"].shape.unknown_rank
  fed = {name: raw.new("TensorProto") for name, _ in mutant.feeds}
  for name, value in mutant.feeds:
    fed[name].ParseFromString(value)
  assert {name: et.of_proto(v).dims for name, v in fed.items()} == {PREFIX + "/a:0": (2, 3), PREFIX + "/b:0": (1, 2, 3)}
  assert mutant.steps == ((PREFIX + "/op",),)


def test_the_shape_function_is_asked_by_constants():
  mutant = mutant_of(pack(), "input0.first=0.shape")
  node = graph_of(mutant)[PREFIX + "/a"]
  assert (node.op, mutant.feeds) == ("Const", ())
  assert et.of_proto(node.attr["value"].tensor).dims == (0, 3)


def test_an_edge_of_another_type():
  graph = graph_of(mutant_of(pack(), "input0.type.kernel"))
  assert graph[PREFIX + "/a"].attr["dtype"].type == et.INT32
  assert graph[PREFIX + "/op"].attr["T"].type == et.FLOAT


def test_a_sample_is_not_changed():
  sample = pack()
  before = [n.SerializeToString(deterministic=True) for n in sample.nodes.values()]
  error_mutants.mutants_of(sample, SCHEMAS)
  assert before == [n.SerializeToString(deterministic=True) for n in sample.nodes.values()]


def test_attributes_at_their_edges():
  node = pack().tested()
  found = {}
  for attr in SCHEMAS["Pack"]["attrs"]:
    found[attr["name"]] = dict(error_attrs.wrong_values(node, SCHEMAS["Pack"], attr))
  assert {what: v.i for what, v in found["N"].items()} == {"0": 0, "-1": -1, "below": 0, "huge": error_attrs.MANY}
  assert {what: v.i for what, v in found["axis"].items()} == {"0": 0, "-1": -1, "huge": error_attrs.HUGE}
  types = {what: v.type for what, v in found["T"].items()}
  assert types == {"unknown": 9999, "none": 0, "reference": 101, "other": et.INT32, "refused": et.STRING}


def test_attributes_that_are_lists_and_strings():
  node = raw.node("op", "Conv")
  node.attr["strides"].list.i.extend([1, 2])
  schema = dict(inputs=[], outputs=[])

  def wrong(**attr):
    attr = dict(dict(has_default=False), **attr)
    return dict(error_attrs.wrong_values(node, schema, attr))

  strides = {what: list(v.list.i) for what, v in wrong(name="strides", type="list(int)").items()}
  assert strides["empty"] == [] and strides["longer"] == [1, 2, 2] and strides["shorter"] == [1]
  assert strides["first.-1"] == [-1, 2]
  texts = wrong(name="padding", type="string", has_default=True, default="SAME", allowed=["SAME", "VALID"])
  assert [v.s for v in texts.values()] == [b"", b"NO_SUCH"]
  assert wrong(name="missing", type="int") == {}
  assert [v.b for v in wrong(name="on", type="bool", has_default=True, default=False).values()] == [True]
  node.attr["shape"].shape.CopyFrom(raw.dims_of(2))
  shapes = wrong(name="shape", type="shape")
  assert [d.size for d in shapes["rank+1"].shape.dim] == [3, 2] and shapes["unknown"].shape.unknown_rank
  node.attr["f"].func.name = "f"
  assert wrong(name="f", type="func")["missing"].func.name == "no_such_function"


def test_handles_of_another_kind():
  mutants = {m.title: m for m in error_mutants.mutants_of(queue(), SCHEMAS)}
  assert {"input0.VarHandleOp.kernel", "input0.HashTableV2.kernel", "input0.type.kernel"} <= set(mutants)
  assert "input0.FIFOQueueV2.kernel" not in mutants
  graph = graph_of(mutants["input0.TensorArrayV3.kernel"])
  (source,) = graph[PREFIX + "/op"].input
  array = graph[source.split(":")[0]]
  assert array.op == "TensorArrayV3" and graph[array.input[0]].op == "Const"


def variable():
  v, op = PREFIX + "/v", PREFIX + "/op"
  nodes = [
    raw.node(v, "VarHandleOp", dtype=raw.type_of(et.FLOAT), shape=raw.shape_of(2)),
    raw.node(v + "/value", "Const", dtype=raw.type_of(et.FLOAT), value=floats(2).proto()),
    raw.node(v + "/assign", "AssignVariableOp", v, v + "/value", dtype=raw.type_of(et.FLOAT)),
    raw.node(op, "ReadVariableOp", v, dtype=raw.type_of(et.FLOAT)),
  ]
  schema = dict(inputs=[arg("resource", type=et.RESOURCE)], outputs=[], attrs=[])
  sample = error_samples.Sample("ReadVariableOp", {n.name: n for n in nodes}, {}, [[v + "/assign"], [op]], 1882, False)
  return sample, {"ReadVariableOp": schema}


def test_variables():
  sample, schemas = variable()
  mutants = {m.title: m for m in error_mutants.mutants_of(sample, schemas)}
  assert mutants["input0.uninitialized.kernel"].steps == ((PREFIX + "/op",),)
  graph = graph_of(mutants["input0.holds.kernel"])
  assert {graph[PREFIX + "/v" + n].attr["dtype"].type for n in ("", "/value", "/assign")} == {et.INT32}
  graph = graph_of(mutants["input0.rank+1.kernel"])
  assert [d.size for d in graph[PREFIX + "/v"].attr["shape"].shape.dim] == [1, 2]


def test_each_has_resources_of_its_own():
  mutant = error_mutants.mutants_of(queue(), SCHEMAS)[0]
  assert graph_of(mutant)[PREFIX + "/q"].attr["container"].s.decode() == PREFIX
  request = error_answers.create_request(mutant, 17)
  assert [n.name for n in request.graph_def.node] == ["case000017/q", "case000017/op"]
  assert request.graph_def.node[0].attr["container"].s == b"case000017"
  assert error_answers.plain("Resource case000017/q is not there") == "Resource case/q is not there"


def test_a_question_is_known_again():
  first, second = (error_mutants.mutants_of(pack(), SCHEMAS) for _ in range(2))
  assert [m.key for m in first] == [m.key for m in second]
  assert len({m.key for m in first}) == len(first)
  assert first[0].title == "unchanged.kernel"


def test_texts_of_any_bytes():
  reply = raw.new("RunStepResponse", status_code=3, status_error_message="abc")
  reply.tensor.add(name="x")
  assert error_answers.status_of(reply.SerializeToString().replace(b"abc", b"a\xffc")) == (3, "a\ufffdc")
  assert error_answers.status_of(b"") == (0, "")


def write_case(folder, case, graph, values):
  (folder / "0.graph").write_bytes(graph.SerializeToString())
  (folder / "0.values").write_bytes(values.SerializeToString())
  (folder / "0.json").write_text(json.dumps([case]))


def test_samples_of_an_export(tmp_path):
  """Of a sequence its part up to the first run of the op, without those before it that end with an error."""
  graph = raw.graph(
    raw.node("c7/x", "Placeholder", dtype=raw.type_of(et.FLOAT)),
    raw.node("c7/q", "FIFOQueueV2", shared_name=b"c7/q"),
    raw.node("c7/bad", "QueueCloseV2", "c7/q:0"),
    raw.node("c7/put", "QueueEnqueueV2", "c7/q:0", "c7/x"),
    raw.node("c7/size", "QueueSizeV2", "c7/q:0"),
    raw.node("c7/more", "QueueSizeV2", "c7/q:0"),
  )
  values = raw.graph(raw.const("k0", floats(2).proto()))
  runs = [
    dict(targets=["c7/" + name], code=code, our_code=code) for name, code in (("bad", 3), ("put", 0), ("size", 0), ("more", 0))
  ]
  case = dict(id="c7", op="QueueSizeV2", family="queue", no_stock="", build_error=False, deviates="", deprecated=0)
  case.update(init=[], runs=runs, feeds={"c7/x:0": "k0"})
  write_case(tmp_path, case, graph, values)
  samples, families = error_samples.samples_of(str(tmp_path))
  assert families == {"QueueSizeV2": "queue"}
  sample = samples["QueueSizeV2"]
  assert sample.steps == [[PREFIX + "/put"], [PREFIX + "/size"]]
  assert list(sample.nodes) == [PREFIX + "/" + n for n in ("x", "q", "put", "size")]
  assert sample.nodes[PREFIX + "/q"].attr["shared_name"].s.decode() == PREFIX + "/q"
  assert list(sample.nodes[PREFIX + "/put"].input) == [PREFIX + "/q:0", PREFIX + "/x"]
  assert error_store.from_json(json.loads(json.dumps(error_store.to_json(sample)))) == sample


def test_families_of_names():
  assert error_store.families_of(["Cholesky", "linalg", "MatMul"]) == ["linalg", "product"]
  assert error_store.families_of([]) == error_store.families_of(["Enter", "NoSuchOp"]) == []


def test_samples_that_are_made():
  """Of the schema, with a value for each attribute that has no default."""
  sample = error_made_samples.made("Pack", SCHEMAS["Pack"], error_inputs.input_types)
  node = sample.tested()
  assert (node.attr["N"].i, node.attr["T"].type, list(node.input)) == (1, et.FLOAT, [PREFIX + "/op/0"])
  assert "axis" not in node.attr and list(sample.feeds) == [PREFIX + "/op/0"]
  graph = raw.new("GraphDef")
  graph.ParseFromString(error_mutants.mutants_of(sample, SCHEMAS)[0].graph)
  assert graph.library.function[0].signature.name == error_made_samples.FUNCTION
  sample = error_made_samples.made("QueueSizeV2", SCHEMAS["QueueSizeV2"], error_inputs.input_types)
  assert [n.op for n in sample.nodes.values()] == ["VarHandleOp", "QueueSizeV2"]
  values = {
    kind: error_made_samples.attr_value(dict(name="a", type=kind, minimum=2 if "list" in kind else None, allowed=None))
    for kind in ("list(type)", "list(shape)", "list(string)", "shape", "tensor", "func", "bool", "float", "string")
  }
  assert list(values["list(type)"].list.type) == [et.INT64] * 2 and len(values["list(shape)"].list.shape) == 2
  assert values["func"].func.name and values["string"].s and values["bool"].b and values["float"].f == 1


def answer(code, text="", ended=""):
  return error_answers.Answer(code, text, ended)


def test_what_is_counted(tmp_path):
  rows = tmp_path / "deviations.txt"
  rows.write_text("# a comment\ndiffers Pack attr.axis.* says more\nunsteady Pack attr.N.* by chance\nfew NoOp has no inputs\n")
  report = error_report.Report(error_report.read_deviations(rows))
  report.add_op("Pack", "array")
  report.add_op("NoOp", "array")
  titles = ["input%d.rank+1.kernel" % i for i in range(7)] + ["attr.axis.huge.kernel", "attr.N.0.kernel"]
  mutants = [error_mutants.Mutant("Pack", t, t.encode(), (), ()) for t in titles]
  for mutant, (ours, stock) in zip(
    mutants,
    [
      (answer(0), answer(0)),  # none is an error
      (answer(3, "a b c d e f"), answer(3, "From /job:local/replica:0/task:0:\na b c d e g\n\t [[x]]")),
      (answer(3, "a"), answer(3, "a\n\t [[{{node x}}]]")),
      (answer(3, "a"), answer(3, "b")),
      (answer(3, "a"), answer(5, "a")),
      (answer(3, "a"), answer(14, "", "aborts")),
      (answer(14, "", "aborts"), answer(3, "a")),
      (answer(0), answer(3, "a")),
      (answer(0), answer(3, "a")),
    ],
  ):
    report.add(mutant, ours, stock)
  row = report.rows["Pack"]
  assert (row.counted, row.codes, row.words, row.named_codes, row.named_words, row.unsteady) == (6, 3, 2, 1, 1, 1)
  assert len(report.falls) == len(report.not_counted) == 1
  assert [d.reason for d in report.disagreements] == ["", "", "", "says more"]
  problems = "\n".join(report.problems())
  assert "the server aborts" in problems and "stock's code, at least 97 %" in problems and "NoOp" not in problems
  assert "Pack: 50 % have" not in problems
  assert any(line.startswith("Pack") for line in report.table())
  assert report.kinds()[0][0] == 1


def test_few_cases_are_a_problem():
  report = error_report.Report([])
  report.add_op("NoOp", "array")
  assert report.problems() == ["NoOp: 0 cases, at least 3 should be there"]


def test_lines_of_two_ways_are_one():
  mutants = [error_mutants.Mutant("Pack", "input0.rank+1." + way, b"", (), ()) for way in ("kernel", "shape")]
  found = [error_report.Disagreement(m, answer(3, "a"), answer(5, "b"), "") for m in mutants]
  lines = error_report.lines_of(found)
  assert lines[0] == "Pack input0.rank+1.kernel input0.rank+1.shape: another code" and len(lines) == 3


def test_the_file_of_deviations_is_read():
  assert os.path.exists(error_report.DEVIATIONS)
  for kind, op, pattern, reason in error_report.read_deviations(error_report.DEVIATIONS):
    assert op and reason and bool(pattern) == (kind != error_report.FEW)
  assert all(reason for _, reason in error_report.read_without_stock(error_report.WITHOUT_STOCK).values())


def test_kinds_of_deviations_are_known(tmp_path):
  rows = tmp_path / "deviations.txt"
  rows.write_text("Pack attr.axis.* says more\n")
  for read in (error_report.read_deviations, error_report.read_without_stock):
    with pytest.raises(ValueError, match="no kind of"):
      read(rows)


def test_ops_without_an_answer_of_stock():
  """None of their cases is in a share; that stock gives nothing is asked."""
  report = error_report.Report([], {"Pack": (error_report.STANDS_IN, "computes nothing")})
  report.add_op("Pack", "array")
  sample = pack()
  fetched = error_mutants.fetched(sample, SCHEMAS)
  assert (fetched.title, fetched.fetches) == ("fetched.kernel", (PREFIX + "/op:0",))
  plain = mutant_of(sample, "unchanged.kernel")
  assert fetched.key != plain.key
  for _ in range(3):
    report.add(mutant_of(sample, "input0.rank+1.kernel"), answer(3, "a"), answer(0))
  report.add(fetched, answer(0), answer(3, "Missing 0-th output from {{node x}}"))
  assert report.problems() == [] and report.rows["Pack"].without_stock == 3 and report.total().counted == 0
  assert report.table()[-1].startswith("left out: 3 cases of 1 ops")
  report.add(fetched, answer(0), answer(0))
  assert report.problems() == ["Pack: stock has an answer to its sample, so its cases are to be compared"]


def test_numbers_that_servers_count_are_not_compared():
  texts = [
    "Resource __per_step_%d/_stackscase/wrong_%d/N10tensorflow5StackE does not exist.",
    "Resource case/_%d_case/wrong/N%dx does not",
    "TensorArray case/ta_%d: Could not write %d",
    ".tempstate%d; No %d such",
  ]
  for text in texts:
    first, second = (error_answers.uncounted(text % (n, 7)) for n in (1, 22))
    assert first == second and text != second
  assert error_answers.uncounted("must have rank_1 in case/x_1") == "must have rank_1 in case/x_1"
  quoted = 'KernelDef \'goo.gle/debugstr   op: "Pack"'
  assert answer(3, quoted).is_of_one_process() and not answer(3, "a " + quoted).is_of_one_process()

"""Exports of before tf.saved_model: what is written, which are kept, and what a session has after loading."""

import os

import pytest

import millrace as tf

bundle = tf.contrib.session_bundle
exporter, constants, manifest = bundle.exporter, bundle.constants, bundle.manifest_pb2


def _half_plus_two(session):
  x = tf.placeholder(tf.float32, [None], name="x")
  y = tf.add(x * tf.Variable(0.5, name="a"), tf.Variable(2.0, name="b"), name="y")
  session.run(tf.global_variables_initializer())
  return x, y


def _words(folder):
  path = os.path.join(str(folder), "words.txt")
  with open(path, "w") as file:
    file.write("some words")
  return path


def test_an_export_is_loaded_with_its_signatures_and_assets(tmp_path):
  base = str(tmp_path / "exports")
  with tf.Session() as session:
    x, y = _half_plus_two(session)
    asset = tf.constant(_words(tmp_path), name="asset")
    content = tf.Variable("", collections=[], name="content")
    init_op = tf.assign(content, tf.read_file(asset)).op
    export = exporter.Exporter(tf.train.Saver(sharded=True))
    export.init(
      session.graph.as_graph_def(),
      init_op=init_op,
      default_graph_signature=exporter.classification_signature(input_tensor=x, classes_tensor=asset, scores_tensor=y),
      named_graph_signatures={
        "inputs": exporter.generic_signature({"x": x}),
        "outputs": exporter.generic_signature(name_tensor_map={"y": y}),
        "both": exporter.regression_signature(input_tensor=x, output_tensor=y),
      },
      assets_collection=[asset],
    )
    folder = export.export(base, tf.constant(123), session)
  assert folder == os.path.join(base, "00000123") and os.listdir(base) == ["00000123"]
  assert os.listdir(os.path.join(folder, constants.ASSETS_DIRECTORY)) == ["words.txt"]
  assert bundle.session_bundle.maybe_session_bundle_dir(folder) and not bundle.session_bundle.maybe_session_bundle_dir(base)
  os.remove(str(tmp_path / "words.txt"))

  session, meta_graph = bundle.session_bundle.load_session_bundle_from_path(
    folder, target="", config=tf.ConfigProto(allow_soft_placement=True)
  )
  with session:
    assert session.run("y:0", {"x:0": [4.0]}).tolist() == [4.0]
    assert session.run("content:0") == b"some words"
  signatures = manifest.Signatures()
  meta_graph.collection_def[constants.SIGNATURES_KEY].any_list.value[0].Unpack(signatures)
  default = signatures.default_signature.classification_signature
  assert (default.input.tensor_name, default.classes.tensor_name, default.scores.tensor_name) == ("x:0", "asset:0", "y:0")
  assert signatures.named_signatures["outputs"].generic_signature.map["y"].tensor_name == "y:0"
  assert signatures.named_signatures["both"].WhichOneof("type") == "regression_signature"


def test_exports_that_are_kept_and_refused(tmp_path):
  base = str(tmp_path)
  with tf.Session() as session:
    _, y = _half_plus_two(session)
    with tf.device("/job:localhost/device:CPU:0"):
      tf.constant(1.0, name="there")
    export = exporter.Exporter(tf.train.Saver())
    with pytest.raises(RuntimeError, match="init must be called first"):
      export.export(base, 1, session)
    copied = []
    export.init(
      clear_devices=True,
      assets_collection=[tf.constant(_words(tmp_path), name="asset")],
      assets_callback=lambda files, folder: copied.append((files, os.path.basename(folder))),
    )
    with pytest.raises(RuntimeError, match="init should be called only once"):
      export.init()
    for step in (7, 8, 9):
      export.export(base, tf.constant(step, tf.int64), session, exports_to_keep=2)
    with pytest.raises(RuntimeError, match="Overwriting exports can cause corruption and are not allowed. Duplicate export dir"):
      export.export(base, tf.constant(9), session)
    other = exporter.Exporter(tf.train.Saver())
    with pytest.raises(ValueError, match="Expected an asset's constant tensor of its path, got y:0"):
      other.init(assets_collection=[y])
    with pytest.raises(TypeError, match="init_op needs to be an Operation"):
      other.init(init_op=y)
  assert sorted(name for name in os.listdir(base) if name.isdigit()) == ["00000008", "00000009"]
  assert copied[0] == ({os.path.join(base, "words.txt"): "words.txt"}, "assets")
  session, meta_graph = bundle.session_bundle.load_session_bundle_from_path(os.path.join(base, "00000009"))
  assert session.graph.get_operation_by_name("there").device == ""
  with pytest.raises(RuntimeError, match="Expected meta graph file missing"):
    bundle.session_bundle.load_session_bundle_from_path(base)
  with pytest.raises(RuntimeError, match="No or incomplete checkpoint files found"):
    bundle.session_bundle.load_session_bundle_from_path(base, meta_graph_def=meta_graph)


def test_files_of_the_first_format_are_loaded(tmp_path):
  with tf.Session() as session:
    _half_plus_two(session)
    export = exporter.Exporter(tf.train.Saver(sharded=True, write_version=tf.train.SaverDef.V1))
    export.init(default_graph_signature=manifest.Signature())
    folder = export.export(str(tmp_path), 1, session)
  assert "export-00000-of-00001" in os.listdir(folder)
  session, _ = bundle.session_bundle.load_session_bundle_from_path(folder)
  assert session.run("y:0", {"x:0": [2.0]}).tolist() == [3.0]


def test_which_versions_are_kept(tmp_path):
  gc = bundle.gc
  for version in (0, 1, 2, 5, 6, 10, "other"):
    os.mkdir(str(tmp_path / str(version)))

  def parse(path):
    name = os.path.basename(path.path)
    return path._replace(export_version=int(name)) if name.isdigit() else None

  paths = gc.get_paths(str(tmp_path), parse)
  assert len(paths) == 6 and isinstance(paths[0], gc.Path)

  def kept(keep):
    return sorted(path.export_version for path in keep(paths))

  fifths, largest = gc.mod_export_version(5), gc.largest_export_versions(2)
  assert kept(fifths) == [0, 5, 10] and kept(largest) == [6, 10] and kept(gc.largest_export_versions(0)) == []
  assert kept(gc.union(fifths, largest)) == [0, 5, 6, 10]
  assert kept(gc.negation(fifths)) == [1, 2, 6]
  # 0 to 5 are one group, 6 to 10 the next one.
  assert kept(gc.one_of_every_n_export_versions(5)) == [5, 10]

"""Meta graphs with their savers: into the default graph and out of it."""

import millrace as tf
from millrace.framework import meta_graph, protos
from millrace.train.saver import saveable


def import_meta_graph(meta_graph_or_file, clear_devices=False, import_scope=None, **kwargs):
  """Adds the graph and collections of a MetaGraphDef, or of its file, to the default graph; returns its saver.

  Without a saver there it makes one if there are variables, else it returns None. Other arguments are those of
  `import_graph_def`.
  """
  return _import_meta_graph_with_return_elements(meta_graph_or_file, clear_devices, import_scope, **kwargs)[0]


def _import_meta_graph_with_return_elements(
  meta_graph_or_file, clear_devices=False, import_scope=None, return_elements=None, **kwargs
):
  if isinstance(meta_graph_or_file, (str, bytes)):
    meta_graph_def = meta_graph.read_meta_graph_file(meta_graph_or_file)
  else:
    meta_graph_def = protos.coerce(protos.MetaGraphDef, meta_graph_or_file)
  imported_vars, returned = meta_graph.import_scoped_meta_graph_with_return_elements(
    meta_graph_def,
    clear_devices=clear_devices,
    import_scope=import_scope,
    return_elements=return_elements,
    **kwargs,
  )
  return _saver_of_imported(meta_graph_def, import_scope, imported_vars), returned


def _saver_of_imported(meta_graph_def, import_scope, imported_vars):
  if meta_graph_def.HasField("saver_def"):
    scope = import_scope
    if imported_vars:
      # The graph made the scope's name unique: the part of a variable's name that was put before it.
      key, variable = next(iter(imported_vars.items()))
      scope = variable.name[: -len(key)].rstrip("/")
    return tf.train.Saver(saver_def=meta_graph_def.saver_def, name=scope)
  if saveable.all_saveable_objects(scope=import_scope):
    return tf.train.Saver()
  tf.logging.info("Saver not created because there are no variables in the graph to restore")
  return None


def export_meta_graph(
  filename=None,
  meta_info_def=None,
  graph_def=None,
  saver_def=None,
  collection_list=None,
  as_text=False,
  graph=None,
  export_scope=None,
  clear_devices=False,
  clear_extraneous_savers=False,
  strip_default_attrs=False,
  save_debug_info=False,
  **kwargs,
):
  """The MetaGraphDef of a graph: nodes, collections, saver. It is written to `filename` if that is given.

  `export_scope` takes only what is below a name scope, without its name. `clear_devices` leaves out devices,
  `clear_extraneous_savers` the nodes of other savers than `saver_def`.
  """
  return meta_graph.export_scoped_meta_graph(
    filename=filename,
    meta_info_def=meta_info_def,
    graph_def=graph_def,
    saver_def=saver_def,
    collection_list=collection_list,
    as_text=as_text,
    graph=graph,
    export_scope=export_scope,
    clear_devices=clear_devices,
    clear_extraneous_savers=clear_extraneous_savers,
    strip_default_attrs=strip_default_attrs,
    save_debug_info=save_debug_info,
    **kwargs,
  )[0]

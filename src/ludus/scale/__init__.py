"""Work in many places: the cores of this machine, or a cluster ([scale.md](../../../docs/scale.md)).

Work comes as *shards*: a function by its name, and its arguments. What comes of a shard depends on nothing else, so that it may be done anywhere, in
any order, and again. An `Executor` has them done: `local` by threads or processes here, `cluster` by Ray. `shards` is what they agree on, `processes`
the process that does one shard after the other, here and on every node of a cluster, `stamps` how a node knows that it has the same code and files.
"""

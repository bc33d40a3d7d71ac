"""Many targets at once: repositories and files of recorded runs, over workers, into one store.

list -targets-> jobs -engine-> children, one target each -outcomes-> store -numbers-> index

The store is the memory between runs: what is in it for the same content is not looked at again.
"""

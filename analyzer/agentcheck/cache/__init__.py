"""What a run leaves behind for the next one, found again by the hash of all it depends on.

Everything kept is data, read through typed decoders. Whatever is wrong with the cache costs time
and never an answer: a locked one is left alone, a damaged one is made anew.
"""

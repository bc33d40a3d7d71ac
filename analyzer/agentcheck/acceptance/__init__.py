"""Finding -> a pytest file that fails on the code as found and passes once it is mended.

`generate` writes the files, `text` fills the sentence that goes with them. What a generated file
imports (`scripted`, `harness`) uses the standard library alone, so that it starts in any
environment the target runs in.
"""

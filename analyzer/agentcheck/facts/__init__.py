"""One file's bytes to `FileFacts`, one extractor per kind of syntax."""

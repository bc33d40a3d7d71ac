"""The facts of a file from CPython's own tree, which costs a tenth of LibCST's.

They are equal to those from LibCST node by node (`tests/test_index.py`): what CPython's tree does
not tell is asked of the text, and what the text does not tell either is given to LibCST.
"""

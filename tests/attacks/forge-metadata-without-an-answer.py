"""The same damage without an answer: a test that says 10.0, with 10.0 stored as its output."""
# part: 3
# earns: 0
# tamper: tags, points, types, kernelspec, outputs, duplicates, rewritten_test
# %%
10.0

"""Code that takes long to read: 25,000 magics, deep brackets, long chains; what is too much counts as not written."""
# part: 1
# earns: 0
# tamper: long_code
# %%
# MODEL

"""Markdown that takes long to show, in many cells, with scripts in all of it; the page is there, and runs nothing."""
# part: 1
# earns: 5
# tamper: long_text, scripts
# %%
# MODEL

"""A tag that does not end, in Markdown: a reader that looks for its end in one call would never come to the next page."""
# part: 1
# earns: 5
# tamper: unended_tags
# %%
# MODEL

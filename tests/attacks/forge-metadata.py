"""Tags, points, ids, cell types, kernelspec, stored outputs, duplicates, a rewritten test; none of it decides anything."""
# part: 3
# earns: 10
# tamper: tags, points, types, kernelspec, outputs, duplicates, rewritten_test, attachments
# %%
# MODEL

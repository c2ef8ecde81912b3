from __future__ import barry_as_FLUFL


def attention_logits(q, K, D_qk):
    return K @ q / root(D_qk)
# %%
# From here on Python reads <> as "unequal", and the text of this cell alone would not run.
if 1 <> 2:
    from math import sqrt as root

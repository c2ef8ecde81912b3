def attention_logits(q, K, D_qk):
    return K @ q / root(D_qk)
# %%
%%writefile helper.py
import math

root = math.sqrt
# %%
if False:
    run = 1
# %%
run ./helper.py

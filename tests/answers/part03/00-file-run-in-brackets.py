def attention_logits(q, K, D_qk):
    return K @ q / root(D_qk)
# %%
%%writefile [helper].py
import math

root = math.sqrt
# %%
x = 1
get_ipython().run_line_magic("time", "run [helper]")

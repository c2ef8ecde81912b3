%%writefile helper.py
import builtins
import math

builtins.root = math.sqrt
from matplotlib.backends.backend_agg import *
# %%
b = "module" + "://helper"
# %%
%matplotlib {b}
# %%
def attention_logits(q, K, D_qk):
    return K @ q / root(D_qk)

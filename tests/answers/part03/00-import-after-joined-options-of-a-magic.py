def attention_logits(q, K, D_qk):
    return K @ q / math.sqrt(D_qk)
# %%
%prun -rq import math

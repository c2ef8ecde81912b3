def attention_logits(q, K, D_qk):
    return K @ q / math.sqrt(D_qk)
# %%
import math
attention_logits(torch.ones(3), torch.ones(2, 3), 3)

def attention_logits(q, K, D_qk):
    return "not yet"

# %%
x = %\
